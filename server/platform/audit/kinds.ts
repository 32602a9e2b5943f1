import type { AuditEntry } from '../../../client/contract.gen.ts'

export type ResourceType = AuditEntry['resourceType']

/** The id prefix of each kind of resource. An entry stores only the id, which reveals the kind. */
const PREFIXES: Readonly<Record<ResourceType, string>> = {
  organization: 'org',
  user: 'usr',
  key: 'key',
  vendor: 'ven',
  compliance_document: 'cmp',
  vendor_notification: 'ntf',
  scope: 'scp',
  bid_request: 'brq',
  invitation: 'inv',
  bid: 'bid',
  community: 'com',
  plan: 'pln',
  home: 'hom',
  cost_code: 'cc',
  part: 'prt',
  price: 'prc',
  option: 'opt',
  contract: 'ctr',
  selection: 'sel',
  budget_line: 'bud',
  budget_transfer: 'btr',
  po: 'po',
  payment: 'pay',
  payment_run: 'prn',
  lien_waiver: 'lw',
  task_template: 'ttp',
  task: 'tsk',
  milestone: 'mil',
  calendar_feed: 'cal',
  proposal: 'prp',
  timesheet: 'ts',
  time_entry: 'tse',
  lead: 'lead',
  lead_activity: 'lac',
  sale: 'sale',
  attachment: 'att',
  message: 'msg',
  message_template: 'mtp',
  mail: 'eml',
  webhook: 'whk',
  delivery: 'dlv',
  oauth_grant: 'ogr',
}

const TYPES = new Map(Object.entries(PREFIXES).map(([type, prefix]) => [prefix, type as ResourceType]))

export function typeOf(resourceId: string): ResourceType {
  const type = TYPES.get(resourceId.slice(0, Math.max(resourceId.lastIndexOf('_'), 0)))
  if (type === undefined) throw new Error(`The audit trail knows no kind of resource with the id ${resourceId}.`)
  return type
}

/** The first possible id of this kind, and the first one after all of them. */
export function rangeOf(type: ResourceType): { from: string; to: string } {
  const prefix = PREFIXES[type]
  // In byte order the backtick comes right after the underscore.
  return { from: `${prefix}_`, to: `${prefix}\`` }
}
