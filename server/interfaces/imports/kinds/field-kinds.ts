import { type ImportKindDefinition, mapWordsToValues, TEXT_ID } from './import-kind.ts'

const HOME_HEADS = ['home', 'homename', 'job', 'jobname', 'house', 'lot', 'project']
const VENDOR_HEADS = ['vendor', 'vendorname', 'subcontractor', 'company', 'assignedto']

const HOME = { label: 'Home', type: 'record', isRequired: true, heads: HOME_HEADS } as const
const NOTES = { label: 'Notes', type: 'text', heads: ['notes', 'note', 'comments', 'remarks'] } as const
const ROOM_AND_TRADE = {
  location: { label: 'Room', type: 'text', heads: ['location', 'room', 'area', 'place'] },
  scope: { label: 'Trade', type: 'text', heads: ['trade', 'scope', 'category'] },
} as const

/** The reason recorded for a record that is canceled because a user undoes the import. */
const UNDO_REASON = 'The import was undone.'
/** How records are undone that cannot be archived. */
const CANCELLATION = {
  archiveInput: { status: 'cancelled', reason: UNDO_REASON },
  archivedStatus: 'cancelled',
} as const

export const permitKind: ImportKindDefinition = {
  kind: 'permit',
  label: 'Permits',
  permission: 'inspections:write',
  table: 'permits',
  isActiveSql: `t."status" <> 'void'`,
  operations: {
    ...{ create: 'createPermit', update: 'updatePermit', get: 'getPermit', id: 'permitId' },
    ...{ archive: 'changePermitStatus', archiveInput: { status: 'void', reason: UNDO_REASON }, archivedStatus: 'void' },
    createOnly: ['homeId', 'issuedDate'],
  },
  identifiedBy: [['id'], ['externalId'], ['homeId', 'number']],
  fields: {
    ...TEXT_ID,
    homeId: HOME,
    number: { label: 'Permit number', type: 'text', heads: ['permitnumber', 'permitno', 'permit', 'number', 'no'] },
    permitType: {
      label: 'Type',
      type: 'choice',
      isRequired: true,
      heads: ['permittype', 'type', 'kind'],
      choices: mapWordsToValues({
        building: ['Build', 'Residential', 'New construction'],
        electrical: ['Electric'],
        plumbing: ['Plumb'],
        mechanical: ['HVAC', 'Mech'],
        site: ['Grading', 'Site work', 'Land'],
        other: [],
      }),
    },
    authority: { label: 'Authority', type: 'text', heads: ['authority', 'jurisdiction', 'city', 'county', 'issuedby'] },
    appliedDate: {
      label: 'Applied on',
      type: 'date',
      heads: ['applieddate', 'appliedon', 'applied', 'applicationdate'],
    },
    issuedDate: { label: 'Issued on', type: 'date', heads: ['issueddate', 'issuedon', 'issued', 'issuedate'] },
    expiryDate: { label: 'Expires on', type: 'date', heads: ['expirydate', 'expireson', 'expires', 'expirationdate'] },
    feeAmount: { label: 'Fee', type: 'number', heads: ['fee', 'feeamount', 'permitfee', 'amount'] },
    notes: NOTES,
  },
}

/**
 * Imports inspections that are requested or scheduled. Users record results in the service, because a result can hold
 * or move tasks.
 */
export const inspectionKind: ImportKindDefinition = {
  kind: 'inspection',
  label: 'Inspections',
  permission: 'inspections:write',
  table: 'inspections',
  isActiveSql: `t."status" in ('requested', 'scheduled')`,
  operations: {
    ...{ create: 'createInspection', update: 'updateInspection', get: 'getInspection', id: 'inspectionId' },
    ...{ archive: 'changeInspectionStatus', createOnly: ['homeId', 'scheduledDate', 'window'], ...CANCELLATION },
  },
  identifiedBy: [['id'], ['externalId'], ['homeId', 'name']],
  fields: {
    ...TEXT_ID,
    homeId: HOME,
    name: {
      label: 'Inspection',
      type: 'text',
      isRequired: true,
      heads: ['inspection', 'inspectionname', 'inspectiontype', 'name', 'type'],
    },
    authority: {
      label: 'Authority',
      type: 'choice',
      heads: ['authority', 'inspectedby', 'by'],
      choices: mapWordsToValues({
        municipal: ['City', 'County', 'Code'],
        internal: ['Builder', 'Own'],
        third_party: ['Third party', 'Engineer', 'Energy rater'],
      }),
    },
    scheduledDate: {
      label: 'Scheduled for',
      type: 'date',
      heads: ['scheduleddate', 'scheduledfor', 'scheduled', 'date'],
    },
    window: {
      label: 'Time of day',
      type: 'choice',
      heads: ['window', 'timeofday', 'time'],
      choices: mapWordsToValues({ am: ['Morning'], pm: ['Afternoon'], any: ['All day'] }),
    },
    inspectorName: { label: 'Inspector', type: 'text', heads: ['inspector', 'inspectorname'] },
    notes: NOTES,
  },
}

export const punchItemKind: ImportKindDefinition = {
  kind: 'punch_item',
  label: 'Punch items',
  permission: 'punch:write',
  table: 'punchItems',
  isActiveSql: `t."status" <> 'cancelled'`,
  operations: {
    ...{ create: 'createPunchItem', update: 'updatePunchItem', get: 'getPunchItem', id: 'punchItemId' },
    ...{ archive: 'changePunchItemStatus', createOnly: ['homeId'], ...CANCELLATION },
  },
  identifiedBy: [['id'], ['externalId'], ['homeId', 'location?', 'description']],
  fields: {
    ...TEXT_ID,
    homeId: HOME,
    description: {
      label: 'Description',
      type: 'text',
      isRequired: true,
      heads: ['description', 'item', 'issue', 'punchitem', 'work'],
    },
    ...ROOM_AND_TRADE,
    priority: {
      label: 'Priority',
      type: 'choice',
      heads: ['priority', 'severity'],
      choices: mapWordsToValues({
        routine: ['Normal', 'Low', 'Medium'],
        before_closing: ['Before closing', 'High', 'Must fix'],
        safety: ['Critical', 'Urgent'],
      }),
    },
    vendorId: { label: 'Vendor', type: 'record', heads: VENDOR_HEADS },
    dueDate: { label: 'Due on', type: 'date', heads: ['duedate', 'due', 'dueon', 'fixby'] },
    ownerVisible: { label: 'Visible to the owner', type: 'boolean', heads: ['ownervisible', 'visibletoowner'] },
  },
}

export const warrantyRequestKind: ImportKindDefinition = {
  kind: 'warranty_request',
  label: 'Warranty requests',
  permission: 'warranty:write',
  table: 'warrantyRequests',
  isActiveSql: `t."status" <> 'cancelled'`,
  operations: {
    ...{ create: 'createWarrantyRequest', update: 'updateWarrantyRequest', get: 'getWarrantyRequest' },
    ...{ id: 'warrantyRequestId', archive: 'changeWarrantyRequestStatus', createOnly: ['homeId', 'source'] },
    ...CANCELLATION,
  },
  identifiedBy: [['id'], ['externalId'], ['homeId', 'location?', 'description']],
  fields: {
    ...TEXT_ID,
    homeId: HOME,
    description: {
      label: 'Description',
      type: 'text',
      isRequired: true,
      heads: ['description', 'issue', 'problem', 'request', 'complaint'],
    },
    ...ROOM_AND_TRADE,
    severity: {
      label: 'Severity',
      type: 'choice',
      heads: ['severity', 'priority', 'urgency'],
      choices: mapWordsToValues({ emergency: ['Critical'], urgent: ['High'], routine: ['Normal', 'Low', 'Medium'] }),
    },
    source: {
      label: 'Reported by way of',
      type: 'choice',
      heads: ['source', 'channel', 'origin'],
      choices: mapWordsToValues({ phone: ['Call'], email: ['Mail'], walkthrough: ['Walk'], owner_page: ['Portal'] }),
    },
    reportedBy: {
      label: 'Reported by',
      type: 'text',
      heads: ['reportedby', 'homeowner', 'owner', 'customer', 'contact'],
    },
  },
}

/** Imports the list of sheets. The builder uploads the sheets' files as revisions afterward. */
export const drawingKind: ImportKindDefinition = {
  kind: 'drawing',
  label: 'Drawings',
  permission: 'documents:write',
  table: 'drawings',
  operations: {
    ...{ create: 'createDrawing', update: 'updateDrawing', get: 'getDrawing', archive: 'archiveDrawing' },
    ...{ id: 'drawingId', createOnly: ['planId', 'homeId'] },
  },
  identifiedBy: [['id'], ['externalId'], ['planId', 'sheetNumber'], ['homeId', 'sheetNumber']],
  fields: {
    ...TEXT_ID,
    planId: { label: 'Plan', type: 'record', heads: ['plan', 'plancode', 'planname', 'model'] },
    homeId: { label: 'Home', type: 'record', heads: HOME_HEADS },
    sheetNumber: {
      label: 'Sheet number',
      type: 'text',
      isRequired: true,
      heads: ['sheetnumber', 'sheetno', 'sheet', 'drawingnumber', 'drawingno', 'number'],
    },
    title: {
      label: 'Title',
      type: 'text',
      isRequired: true,
      heads: ['title', 'sheettitle', 'sheetname', 'drawing', 'drawingtitle', 'name', 'description'],
    },
    discipline: {
      label: 'Discipline',
      type: 'choice',
      isRequired: true,
      heads: ['discipline', 'type', 'category'],
      choices: mapWordsToValues({
        architectural: ['A', 'Architecture', 'Arch'],
        structural: ['S', 'Structure'],
        electrical: ['E', 'Electric'],
        plumbing: ['P'],
        mechanical: ['M', 'HVAC'],
        site: ['C', 'Civil', 'Landscape'],
        truss: ['Trusses'],
        other: ['General', 'G'],
      }),
    },
    scopes: { label: 'Trades', type: 'list', heads: ['trades', 'trade', 'scopes', 'scope'] },
  },
}

export const homeOwnerKind: ImportKindDefinition = {
  kind: 'home_owner',
  label: 'Home owners',
  permission: 'owners:write',
  table: 'homeOwners',
  operations: {
    ...{ create: 'createHomeOwner', update: 'updateHomeOwner', get: 'getHomeOwner', archive: 'archiveHomeOwner' },
    ...{ id: 'homeOwnerId', createOnly: ['homeId'] },
  },
  identifiedBy: [['id'], ['externalId'], ['homeId', 'email'], ['homeId', 'name']],
  fields: {
    ...TEXT_ID,
    homeId: HOME,
    name: {
      label: 'Name',
      type: 'text',
      isRequired: true,
      heads: ['name', 'ownername', 'homeowner', 'owner', 'buyer', 'buyername', 'customer', 'fullname'],
    },
    email: { label: 'Email', type: 'text', heads: ['email', 'emailaddress', 'mail'] },
    phone: { label: 'Phone', type: 'text', heads: ['phone', 'phonenumber', 'mobile', 'cell'] },
    language: {
      label: 'Language',
      type: 'choice',
      heads: ['language', 'preferredlanguage'],
      choices: mapWordsToValues({ en: ['English'], es: ['Spanish', 'Español'] }),
    },
  },
}
