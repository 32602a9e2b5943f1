import type { MessageTemplatePreview, RenderedMessage } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { Problem, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { fillPlaceholders, type PlaceholderValues } from '../../../platform/values/placeholders.ts'
import { DEFAULT_TEMPLATES } from './default-templates.ts'
import { type CustomWording, findWordingErrors, getEffectiveWording } from './message-template.ts'
import { renderMail, toHtml } from './render-mail.ts'
import * as named from './value-queries.ts'

/** The maximum length of a lien waiver in a preview, from the API contract. */
const MAX_CHARACTERS = 100_000

/** Sample values for placeholders that have no given value. */
const SAMPLE_VALUES: PlaceholderValues = {
  'vendor.companyName': 'Lone Star Framing LLC',
  'message.subject': 'Framing of Lot 14',
  'message.body': 'The slab is ready. Can you start on Tuesday?',
  message: 'Park on the street, please.',
  'bidRequest.number': 'BR-0004',
  'bidRequest.title': 'Framing, Lot 14',
  'bidRequest.scope': 'framing',
  'bidRequest.deadline': '2030-12-04',
  'bid.summary': 'Total: $18,250.50',
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
 * Returns a preview of an email with the current or a given wording. Placeholders have the given values, values of the
 * given records, or sample values.
 */
export async function previewMessage(
  call: Call,
  template: CustomWording,
  { subject, body, values = {}, ...ids }: MessageTemplatePreview,
): Promise<RenderedMessage> {
  const { kind } = template
  const { placeholders, subject: defaults } = DEFAULT_TEMPLATES[kind]
  const tried = { kind, subject: subject === undefined ? template.subject : subject, body: body ?? template.body }
  const unknown = Object.keys(values).filter((name) => !placeholders.includes(name))
  const ofKind = `must contain only these placeholders: ${placeholders.join(', ')}`
  const errors = [
    ...findWordingErrors(tried),
    ...(unknown.length === 0 ? [] : [{ pointer: '/values', code: 'unknown_placeholder', message: ofKind }]),
  ]
  if (errors.length > 0) throw validationFailed(errors)
  const provided = {
    ...{ ...SAMPLE_VALUES, 'builder.name': call.principal.organization.name },
    portalUrl: `${call.services.config.publicUrl}/portal/sample`,
    willBidUrl: `${call.services.config.publicUrl}/portal/sample/will-bid`,
    passUrl: `${call.services.config.publicUrl}/portal/sample/pass`,
    ...(await findValues(call, ids)),
    ...values,
  }
  const wording = getEffectiveWording(tried)
  if (defaults === null)
    return { subject: null, text: fillPlaceholders(wording.body, provided, MAX_CHARACTERS), html: null }
  const written = renderMail(wording, provided)
  return { ...written, html: toHtml(written.text) }
}

type RecordIds = Pick<MessageTemplatePreview, 'vendorId' | 'homeId' | 'bidRequestId'>

const VALUE_SOURCES = [
  ['vendorId', 'vendors:read', named.findVendorValues],
  ['homeId', 'homes:read', named.findHomeValues],
  ['bidRequestId', 'bids:read', named.findBidRequestValues],
] as const

async function findValues(call: Call, ids: RecordIds): Promise<PlaceholderValues> {
  const requested = VALUE_SOURCES.flatMap(([field, permission, read]) => {
    const id = ids[field]
    return id === undefined ? [] : [{ field, permission, read, id }]
  })
  const lacking = requested.find(({ permission }) => !call.permissions.has(permission))
  if (lacking !== undefined) {
    const { field, permission } = lacking
    throw new Problem('permission_denied', `Setting ${field} requires ${permission}.`, { permission })
  }
  const found: PlaceholderValues[] = []
  const unknown: string[] = []
  for (const { field, read, id } of requested) {
    const values = await read(call, id)
    if (values === undefined) unknown.push(`/${field}`)
    else found.push(values)
  }
  if (unknown.length > 0) throw unknownReference(unknown)
  return Object.assign({}, ...found) as PlaceholderValues
}
