import { type ImportKindDefinition, mapWordsToValues, TEXT_ID } from './import-kind.ts'

const SKU_HEADS = ['sku', 'partnumber', 'partno', 'part', 'item', 'itemcode', 'itemnumber', 'productcode', 'partcode']
const UNIT_HEADS = ['unit', 'uom', 'unitofmeasure', 'um', 'units']
const COST_CODE_HEADS = ['costcode', 'costcodenumber', 'jobcostcode', 'code', 'phasecode']
const TRADE_HEADS = ['trade', 'scope', 'category', 'division']

export const costCodeKind: ImportKindDefinition = {
  kind: 'cost_code',
  label: 'Cost codes',
  permission: 'budgets:write',
  table: 'costCodes',
  operations: {
    ...{ create: 'createCostCode', update: 'updateCostCode', get: 'getCostCode', archive: 'archiveCostCode' },
    ...{ id: 'costCodeId', createOnly: [] },
  },
  identifiedBy: [['id'], ['externalId'], ['code']],
  fields: {
    ...TEXT_ID,
    code: { label: 'Code', type: 'text', isRequired: true, heads: [...COST_CODE_HEADS, 'number', 'account'] },
    name: { label: 'Name', type: 'text', isRequired: true, heads: ['name', 'description', 'costcodename', 'title'] },
    category: {
      label: 'Category',
      type: 'choice',
      isRequired: true,
      heads: ['category', 'type', 'costtype', 'class'],
      choices: mapWordsToValues({
        labor: ['Labour', 'L'],
        material: ['Materials', 'M'],
        subcontract: ['Subcontractor', 'Subcontracts', 'Sub', 'S'],
        equipment: ['E'],
        other: ['O', 'Misc'],
        overhead: ['Indirect'],
      }),
    },
    costCodeId: { label: 'Parent code', type: 'record', heads: ['parent', 'parentcode', 'parentcostcode', 'group'] },
    scope: { label: 'Trade', type: 'text', heads: TRADE_HEADS },
    accountingId: { label: 'Accounting ID', type: 'text', heads: ['accountingid', 'glaccount', 'accountno'] },
  },
  renamed: { costCodeId: 'parentId' },
}

export const partKind: ImportKindDefinition = {
  kind: 'part',
  label: 'Parts',
  permission: 'parts:write',
  table: 'parts',
  operations: {
    ...{ create: 'createPart', update: 'updatePart', get: 'getPart', archive: 'archivePart', id: 'partId' },
    createOnly: [],
  },
  identifiedBy: [['id'], ['externalId'], ['sku']],
  fields: {
    ...TEXT_ID,
    sku: { label: 'SKU', type: 'text', isRequired: true, heads: SKU_HEADS },
    name: {
      label: 'Name',
      type: 'text',
      isRequired: true,
      heads: ['name', 'partname', 'itemname', 'product', 'description'],
    },
    description: { label: 'Description', type: 'text', heads: ['longdescription', 'details', 'description', 'notes'] },
    unit: { label: 'Unit', type: 'text', isRequired: true, heads: UNIT_HEADS },
    scope: { label: 'Trade', type: 'text', heads: TRADE_HEADS },
    costCodeId: { label: 'Cost code', type: 'record', heads: COST_CODE_HEADS },
    manufacturer: { label: 'Manufacturer', type: 'text', heads: ['manufacturer', 'brand', 'make', 'mfr'] },
    leadTimeDays: { label: 'Lead time (days)', type: 'integer', heads: ['leadtime', 'leadtimedays', 'leaddays'] },
  },
}

export const priceKind: ImportKindDefinition = {
  kind: 'price',
  label: 'Prices',
  permission: 'parts:write',
  table: 'prices',
  operations: {
    ...{ create: 'addPrice', update: 'updatePrice', get: 'getPrice', archive: 'removePrice', id: 'priceId' },
    ...{ createOnly: ['partId', 'vendorId', 'communityId', 'planId'] },
  },
  identifiedBy: [
    ['id'],
    ['externalId'],
    ['partId', 'vendorId', 'communityId?', 'planId?', 'effectiveDate', 'minQuantity'],
  ],
  fields: {
    ...TEXT_ID,
    partId: { label: 'Part', type: 'record', isRequired: true, heads: SKU_HEADS },
    vendorId: {
      label: 'Vendor',
      type: 'record',
      isRequired: true,
      heads: ['vendor', 'vendorname', 'supplier', 'company', 'companyname'],
    },
    unitPrice: {
      label: 'Unit price',
      type: 'number',
      isRequired: true,
      heads: ['unitprice', 'price', 'cost', 'unitcost', 'netprice', 'rate'],
    },
    effectiveDate: {
      label: 'Effective from',
      type: 'date',
      isRequired: true,
      heads: ['effectivedate', 'effective', 'validfrom', 'from', 'startdate', 'date'],
    },
    expirationDate: {
      label: 'Valid until',
      type: 'date',
      heads: ['expirationdate', 'expires', 'validuntil', 'validto', 'enddate', 'to'],
    },
    minQuantity: {
      label: 'Minimum quantity',
      type: 'number',
      heads: ['minquantity', 'minimumquantity', 'minqty', 'moq'],
    },
    communityId: { label: 'Community', type: 'record', heads: ['community', 'subdivision', 'project'] },
    planId: { label: 'Plan', type: 'record', heads: ['plan', 'plancode', 'planname'] },
    preferred: { label: 'Preferred', type: 'boolean', heads: ['preferred', 'default'] },
    note: { label: 'Note', type: 'text', heads: ['note', 'notes', 'comment', 'comments'] },
  },

  toInput([row = {}]) {
    // Sets the default here, because a price is identified by its minimum quantity, among other fields.
    return { minQuantity: 0, ...row }
  },
}

export const optionKind: ImportKindDefinition = {
  kind: 'option',
  label: 'Options',
  permission: 'options:write',
  table: 'options',
  operations: {
    ...{ create: 'createOption', update: 'updateOption', get: 'getOption', archive: 'archiveOption', id: 'optionId' },
    createOnly: [],
  },
  identifiedBy: [['id'], ['externalId'], ['code']],
  fields: {
    ...TEXT_ID,
    code: {
      label: 'Code',
      type: 'text',
      isRequired: true,
      heads: ['code', 'optioncode', 'option', 'number', 'optionnumber'],
    },
    name: { label: 'Name', type: 'text', isRequired: true, heads: ['name', 'optionname', 'title', 'description'] },
    description: { label: 'Description', type: 'text', heads: ['longdescription', 'details', 'description', 'notes'] },
    optionType: {
      label: 'Type',
      type: 'choice',
      isRequired: true,
      heads: ['optiontype', 'type'],
      choices: mapWordsToValues({
        structural: ['Structure'],
        design: ['Design center'],
        upgrade: [],
        credit: [],
        allowance: [],
      }),
    },
    category: { label: 'Category', type: 'text', heads: ['category', 'group', 'optiongroup', 'room'] },
    price: { label: 'Price', type: 'number', heads: ['price', 'salesprice', 'retail', 'customerprice'] },
    cost: { label: 'Cost', type: 'number', heads: ['cost', 'buildercost'] },
    unit: { label: 'Unit', type: 'text', heads: UNIT_HEADS },
    scope: { label: 'Trade', type: 'text', heads: ['trade', 'scope'] },
    costCodeId: { label: 'Cost code', type: 'record', heads: ['costcode', 'jobcostcode'] },
    planIds: { label: 'Plans', type: 'list', heads: ['plans', 'plan', 'plancodes', 'availableplans'] },
    communityIds: { label: 'Communities', type: 'list', heads: ['communities', 'community'] },
    cutoffDaysBeforeStart: {
      label: 'Cutoff (days before start)',
      type: 'integer',
      heads: ['cutoff', 'cutoffdays', 'cutoffdaysbeforestart'],
    },
  },

  toInput([row = {}]) {
    // If the row has a cost, the cost is fixed. Otherwise, the option's takeoff determines the cost.
    return { ...row, ...(row.cost !== undefined && { costBasis: 'fixed' }) }
  },
}

export const takeoffKind: ImportKindDefinition = {
  kind: 'takeoff',
  label: 'Takeoffs',
  permission: 'parts:write',
  table: 'plans',
  operations: {
    ...{ create: 'replaceTakeoff', update: null, get: 'getTakeoff', archive: null, id: 'planId' },
    createOnly: [],
  },
  identifiedBy: [['planId']],
  groupedBy: ['planId'],
  fields: {
    planId: { label: 'Plan', type: 'record', isRequired: true, heads: ['plan', 'plancode', 'planname', 'model'] },
    elevation: { label: 'Elevation', type: 'text', heads: ['elevation', 'elev'] },
    partId: { label: 'Part', type: 'record', isRequired: true, heads: SKU_HEADS },
    quantity: { label: 'Quantity', type: 'number', heads: ['quantity', 'qty', 'amount', 'count'] },
    formula: { label: 'Formula', type: 'text', heads: ['formula', 'expression'] },
    wastePercent: { label: 'Waste (%)', type: 'number', heads: ['waste', 'wastepercent', 'wastefactor'] },
    costCodeId: { label: 'Cost code', type: 'record', heads: ['costcode', 'jobcostcode'] },
    taskName: { label: 'Task', type: 'text', heads: ['task', 'taskname', 'activity', 'phase'] },
  },

  toInput(rows) {
    const lines = rows.map(({ planId: _, ...line }) => line)
    return { planId: rows[0]?.planId, lines }
  },
}

export const budgetLineKind: ImportKindDefinition = {
  kind: 'budget_line',
  label: 'Budgets',
  permission: 'budgets:write',
  table: 'budgetLines',
  operations: {
    ...{ create: 'addBudgetLine', update: 'updateBudgetLine', get: 'getBudgetLine', archive: 'removeBudgetLine' },
    ...{ id: 'budgetLineId', createOnly: ['homeId'] },
  },
  identifiedBy: [['id'], ['externalId'], ['homeId', 'scope', 'description?']],
  fields: {
    ...TEXT_ID,
    homeId: {
      label: 'Home',
      type: 'record',
      isRequired: true,
      heads: ['home', 'homename', 'job', 'jobname', 'house', 'lot'],
    },
    scope: { label: 'Trade', type: 'text', isRequired: true, heads: TRADE_HEADS },
    costCodeId: { label: 'Cost code', type: 'record', heads: COST_CODE_HEADS },
    description: { label: 'Description', type: 'text', heads: ['description', 'item', 'line', 'notes'] },
    quantity: { label: 'Quantity', type: 'number', heads: ['quantity', 'qty'] },
    unit: { label: 'Unit', type: 'text', heads: UNIT_HEADS },
    unitCost: { label: 'Unit cost', type: 'number', heads: ['unitcost', 'unitprice', 'rate'] },
    amount: {
      label: 'Amount',
      type: 'number',
      heads: ['amount', 'budget', 'budgeted', 'total', 'originalbudget', 'cost'],
    },
  },
}
