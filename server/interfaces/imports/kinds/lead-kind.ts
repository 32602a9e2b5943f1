import { type ImportKindDefinition, mapWordsToValues, TEXT_ID } from './import-kind.ts'

export const leadKind: ImportKindDefinition = {
  kind: 'lead',
  label: 'Leads',
  permission: 'leads:write',
  table: 'leads',
  operations: {
    ...{ create: 'createLead', update: 'updateLead', get: 'getLead', archive: 'archiveLead', id: 'leadId' },
    createOnly: [],
  },
  identifiedBy: [['id'], ['externalId'], ['email'], ['phone'], ['firstName', 'lastName']],
  fields: {
    ...TEXT_ID,
    firstName: { label: 'First name', type: 'text', heads: ['firstname', 'givenname', 'first'] },
    lastName: { label: 'Last name', type: 'text', heads: ['lastname', 'surname', 'familyname', 'last', 'name'] },
    email: { label: 'Email', type: 'text', heads: ['email', 'emailaddress', 'mail'], content: /^\S+@\S+\.\S+$/ },
    phone: { label: 'Phone', type: 'text', heads: ['phone', 'phonenumber', 'mobile', 'telephone', 'cell'] },
    source: {
      label: 'Source',
      type: 'choice',
      heads: ['source', 'leadsource', 'origin'],
      choices: mapWordsToValues({
        website: ['Web', 'Online', 'Internet'],
        referral: ['Referred', 'Friend'],
        phone: ['Call', 'Phone call'],
        realtor: ['Agent', 'Broker'],
        model_home_visit: ['Model home', 'Walk-in', 'Walk in', 'Visit'],
        sign: ['Yard sign', 'Signage'],
        event: ['Home show', 'Parade of homes'],
        portal_listing: ['Zillow', 'Listing', 'MLS', 'NewHomeSource'],
        other: [],
      }),
    },
    communityIds: { label: 'Communities', type: 'list', heads: ['communities', 'community', 'interestedin'] },
    planIds: { label: 'Plans', type: 'list', heads: ['plans', 'plan'] },
    budgetMin: { label: 'Budget from', type: 'number', heads: ['budgetmin', 'budgetfrom', 'minbudget'] },
    budgetMax: { label: 'Budget to', type: 'number', heads: ['budgetmax', 'budgetto', 'maxbudget', 'budget'] },
    desiredMoveIn: { label: 'Desired move-in', type: 'date', heads: ['desiredmovein', 'movein', 'moveindate'] },
    ownerUserId: {
      label: 'Sales representative',
      type: 'record',
      heads: ['owner', 'salesrep', 'salesperson', 'assignedto'],
    },
  },
}
