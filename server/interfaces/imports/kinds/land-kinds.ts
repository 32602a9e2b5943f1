import { ADDRESS, type ImportKindDefinition, mapWordsToValues, TEXT_ID } from './import-kind.ts'

const COMMUNITY_HEADS = [
  'community',
  'communitycode',
  'communityname',
  'subdivision',
  'project',
  'neighborhood',
  'development',
]
const PLAN_HEADS = ['plan', 'plancode', 'planname', 'model', 'houseplan', 'floorplan']

export const communityKind: ImportKindDefinition = {
  kind: 'community',
  label: 'Communities',
  permission: 'communities:write',
  table: 'communities',
  operations: {
    ...{ create: 'createCommunity', update: 'updateCommunity', get: 'getCommunity', archive: 'archiveCommunity' },
    ...{ id: 'communityId', createOnly: ['status'] },
  },
  identifiedBy: [['id'], ['externalId'], ['code'], ['name']],
  fields: {
    ...TEXT_ID,
    name: { label: 'Name', type: 'text', isRequired: true, heads: ['name', ...COMMUNITY_HEADS] },
    code: { label: 'Code', type: 'text', heads: ['code', 'communitycode', 'number', 'projectnumber'] },
    accountingId: { label: 'Accounting ID', type: 'text', heads: ['accountingid', 'jobid'] },
    city: { label: 'City', type: 'text', heads: ['city', 'town'] },
    state: { label: 'State', type: 'text', heads: ['state', 'province'] },
    postalCode: { label: 'ZIP', type: 'text', heads: ['zip', 'zipcode', 'postalcode'] },
    timeZone: { label: 'Time zone', type: 'text', heads: ['timezone'] },
    lotCount: { label: 'Number of lots', type: 'integer', heads: ['lots', 'lotcount', 'numberoflots', 'totallots'] },
  },
}

export const planKind: ImportKindDefinition = {
  kind: 'plan',
  label: 'Plans',
  permission: 'options:write',
  table: 'plans',
  operations: {
    ...{ create: 'createPlan', update: 'updatePlan', get: 'getPlan', archive: 'archivePlan', id: 'planId' },
    createOnly: ['code', 'status'],
    status: { operation: 'changePlanStatus', accepted: [], initial: null },
  },
  identifiedBy: [['id'], ['externalId'], ['code']],
  fields: {
    ...TEXT_ID,
    code: {
      label: 'Code',
      type: 'text',
      isRequired: true,
      heads: ['code', 'plancode', 'plan', 'number', 'plannumber'],
    },
    name: { label: 'Name', type: 'text', isRequired: true, heads: ['name', 'planname', 'description', 'model'] },
    status: {
      label: 'Status',
      type: 'choice',
      heads: ['status', 'planstatus', 'active'],
      choices: mapWordsToValues({ draft: ['No'], released: ['Active', 'Yes', 'Available'], retired: ['Inactive'] }),
    },
    squareFeet: { label: 'Square feet', type: 'integer', heads: ['squarefeet', 'sqft', 'sf', 'area', 'heatedsf'] },
    bedrooms: { label: 'Bedrooms', type: 'integer', heads: ['bedrooms', 'beds', 'br'] },
    bathrooms: { label: 'Bathrooms', type: 'number', heads: ['bathrooms', 'baths', 'ba'] },
    garageSpaces: { label: 'Garage spaces', type: 'integer', heads: ['garagespaces', 'garage', 'garages'] },
    stories: { label: 'Stories', type: 'integer', heads: ['stories', 'floors', 'levels'] },
    basePrice: { label: 'Base price', type: 'number', heads: ['baseprice', 'price', 'salesprice', 'listprice'] },
  },
}

export const homeKind: ImportKindDefinition = {
  kind: 'home',
  label: 'Homes',
  permission: 'homes:write',
  table: 'homes',
  operations: {
    ...{ create: 'createHome', update: 'updateHome', get: 'getHome', archive: 'archiveHome', id: 'homeId' },
    createOnly: ['communityId'],
  },
  identifiedBy: [
    ...[['id'], ['externalId'], ['accountingId']],
    ...[
      ['communityId', 'lotNumber', 'block'],
      ['communityId', 'lotNumber'],
      ['communityId', 'name'],
    ],
  ],
  fields: {
    ...TEXT_ID,
    communityId: { label: 'Community', type: 'record', isRequired: true, heads: COMMUNITY_HEADS },
    name: { label: 'Name', type: 'text', heads: ['name', 'home', 'homename', 'house', 'job', 'jobname', 'unit'] },
    lotNumber: { label: 'Lot', type: 'text', heads: ['lot', 'lotnumber', 'lotno', 'homesite'] },
    block: { label: 'Block', type: 'text', heads: ['block', 'section', 'phase'] },
    accountingId: {
      label: 'Accounting ID',
      type: 'text',
      heads: ['accountingid', 'jobid', 'jobnumber', 'jobno', 'jobcode', 'costcenter'],
    },
    planId: { label: 'Plan', type: 'record', heads: PLAN_HEADS },
    elevation: { label: 'Elevation', type: 'text', heads: ['elevation', 'elev'] },
    homeType: {
      label: 'Type',
      type: 'choice',
      heads: ['hometype', 'type', 'buildtype'],
      choices: mapWordsToValues({
        spec: ['Inventory', 'Speculative'],
        presale: ['Pre-sale', 'Sold', 'Presold'],
        custom: [],
        model: ['Model home'],
      }),
    },
    swing: {
      label: 'Swing',
      type: 'choice',
      heads: ['swing', 'garageside', 'handing', 'orientation'],
      choices: mapWordsToValues({ left: ['L', 'Left hand'], right: ['R', 'Right hand'] }),
    },
    basePrice: { label: 'Base price', type: 'number', heads: ['baseprice', 'price', 'salesprice', 'listprice'] },
    superintendentId: {
      label: 'Superintendent',
      type: 'record',
      heads: ['superintendent', 'super', 'projectmanager', 'builder'],
    },
    ...ADDRESS,
  },

  /** An existing home keeps its name. */
  toCreateInput(input) {
    const { lotNumber, block } = input
    if (lotNumber === undefined) return { ...input }
    return { name: block === undefined ? `Lot ${lotNumber}` : `Lot ${lotNumber} Block ${block}`, ...input }
  },
}
