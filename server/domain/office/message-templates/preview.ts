import type { MessageTemplatePreview, RenderedMessage } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { invalid, Problem, unknownReference } from '../../../platform/problems/problem.ts'
import { filledIn, type Values } from '../../../platform/values/placeholders.ts'
import { TEMPLATES } from './defaults.ts'
import { htmlOf, letterOf } from './letter.ts'
import * as named from './named-queries.ts'
import { faultsOf, inUse, type OwnWording } from './template.ts'

/** The maximum length of a lien waiver in a preview, as in the contract. */
const MOST_CHARACTERS = 100_000

/** Sample values for placeholders without a given value. */
const SAMPLES: Values = {
  'vendor.companyName': 'Lone Star Framing LLC',
  'message.subject': 'Framing of Lot 14',
  'message.body': 'The slab is ready. Can you start on Tuesday?',
  message: 'Park on the street, please.',
  'bidRequest.number': 'BR-0004',
  'bidRequest.title': 'Framing, Lot 14',
  'bidRequest.scope': 'framing',
  'bidRequest.deadline': '2030-12-04',
  'home.name': 'Lot 14',
  'home.lotNumber': '14',
  'home.address': '212 Juniper Street, Austin, TX',
  'community.name': 'Juniper Ridge',
  date: '2030-12-10',
  work: 'Walls framed',
  'order.number': 'PO-0012',
  'payment.amount': '5000.00',
  'payment.number': 'PM-0003',
  'waiver.throughDate': '2030-11-30',
  'waiver.exceptions': 'none',
}

/**
 * Returns the mail as it would be sent with the current or a given wording, filled with the given values, the named
 * records, and samples.
 */
export async function preview(
  call: Call,
  template: OwnWording,
  { subject, body, values = {}, ...ids }: MessageTemplatePreview,
): Promise<RenderedMessage> {
  const { kind } = template
  const { placeholders, subject: usual } = TEMPLATES[kind]
  const tried = { kind, subject: subject === undefined ? template.subject : subject, body: body ?? template.body }
  const unknown = Object.keys(values).filter((name) => !placeholders.includes(name))
  const ofKind = `must only contain placeholders of this kind: ${placeholders.join(', ')}`
  const faults = [
    ...faultsOf(tried),
    ...(unknown.length === 0 ? [] : [{ pointer: '/values', code: 'unknown_placeholder', message: ofKind }]),
  ]
  if (faults.length > 0) throw invalid(faults)
  const given = {
    ...{ ...SAMPLES, 'builder.name': call.principal.organization.name },
    portalUrl: `${call.surroundings.config.publicUrl}/portal/sample`,
    ...(await valuesOf(call, ids)),
    ...values,
  }
  const wording = inUse(tried)
  if (usual === null) return { subject: null, text: filledIn(wording.body, given, MOST_CHARACTERS), html: null }
  const letter = letterOf(wording, given)
  return { ...letter, html: htmlOf(letter.text) }
}

type Ids = Pick<MessageTemplatePreview, 'vendorId' | 'homeId' | 'bidRequestId'>

const RECORDS = [
  ['vendorId', 'vendors:read', named.ofVendor],
  ['homeId', 'homes:read', named.ofHome],
  ['bidRequestId', 'bids:read', named.ofBidRequest],
] as const

async function valuesOf(call: Call, ids: Ids): Promise<Values> {
  const asked = RECORDS.flatMap(([field, permission, read]) => {
    const id = ids[field]
    return id === undefined ? [] : [{ field, permission, read, id }]
  })
  const lacking = asked.find(({ permission }) => !call.permissions.has(permission))
  if (lacking !== undefined) {
    const { field, permission } = lacking
    throw new Problem('permission_denied', `Setting ${field} requires ${permission}.`, { permission })
  }
  const found: Values[] = []
  const unknown: string[] = []
  for (const { field, read, id } of asked) {
    const values = await read(call, id)
    if (values === undefined) unknown.push(`/${field}`)
    else found.push(values)
  }
  if (unknown.length > 0) throw unknownReference(unknown)
  return Object.assign({}, ...found) as Values
}
