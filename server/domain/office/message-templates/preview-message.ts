import type { MessageTemplatePreview, RenderedMessage, VendorLanguage } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { Problem, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { fillPlaceholders, type PlaceholderValues } from '../../../platform/values/placeholders.ts'
import { DEFAULT_TEMPLATES } from './default-templates.ts'
import { MAIL_LOCALES, type MailLocale } from './mail-locale.ts'
import { type CustomWording, findTextErrors, getEffectiveWording, type LocalizedWording } from './message-template.ts'
import { appendNeededPlaceholder, renderMail, toHtml } from './render-mail.ts'
import { SPANISH_SAMPLES } from './spanish.ts'
import * as named from './value-queries.ts'

/** The maximum length of a lien waiver in a preview, from the API contract. */
const MAX_CHARACTERS = 100_000

/** Returns sample values for placeholders that have no given value. */
const toSampleValues = ({ language, date, amount }: MailLocale): PlaceholderValues => ({
  'vendor.companyName': 'Lone Star Framing LLC',
  'message.subject': 'Framing of Lot 14',
  'message.body': 'The slab is ready. Can you start on Tuesday?',
  message: 'Park on the street, please.',
  'bidRequest.number': 'BR-0004',
  'bidRequest.title': 'Framing, Lot 14',
  'bidRequest.scope': 'framing',
  'bidRequest.deadline': date('2030-12-04'),
  'bid.summary': 'Total: $18,250.50',
  'home.name': 'Lot 14',
  'home.lotNumber': '14',
  'home.address': '212 Juniper Street, Austin, TX',
  'community.name': 'Juniper Ridge',
  date: date('2030-12-10'),
  work: 'Walls framed',
  'order.number': 'PO-0012',
  'payment.amount': amount(5000, 'USD'),
  'payment.number': 'PM-0003',
  'waiver.throughDate': date('2030-11-30'),
  'waiver.exceptions': 'none',
  ...(language === 'es' && SPANISH_SAMPLES),
})

/**
 * Returns a preview of an email with the current or a given wording. Placeholders have the given values, values of the
 * given records, or sample values.
 */
export async function previewMessage(
  call: Call,
  template: CustomWording,
  { subject, body, language = 'en', values = {}, ...ids }: MessageTemplatePreview,
): Promise<RenderedMessage> {
  const { kind } = template
  const { placeholders, subject: defaults } = DEFAULT_TEMPLATES[kind]
  const unknown = Object.keys(values).filter((name) => !placeholders.includes(name))
  const ofKind = `must contain only these placeholders: ${placeholders.join(', ')}`
  const errors = [
    ...findTextErrors(kind, { subject: subject ?? null, body: body ?? null }, { subject: '/subject', body: '/body' }),
    ...(unknown.length === 0 ? [] : [{ pointer: '/values', code: 'unknown_placeholder', message: ofKind }]),
  ]
  if (errors.length > 0) throw validationFailed(errors)
  const wording = getTriedWording(template, subject, body, language)
  const locale = MAIL_LOCALES[wording.language]
  const provided = {
    ...{ ...toSampleValues(locale), 'builder.name': call.principal.organization.name },
    portalUrl: `${call.services.config.publicUrl}/portal/sample`,
    willBidUrl: `${call.services.config.publicUrl}/portal/sample/will-bid`,
    passUrl: `${call.services.config.publicUrl}/portal/sample/pass`,
    ...(await findValues(call, ids, locale)),
    ...values,
  }
  if (defaults === null)
    return { subject: null, text: fillPlaceholders(wording.body, provided, MAX_CHARACTERS), html: null }
  const written = renderMail(wording, provided)
  return { ...written, html: toHtml(written.text) }
}

/** Returns the current wording in a language, with the given texts in place of the current ones. */
function getTriedWording(
  template: CustomWording,
  subject: string | null | undefined,
  body: string | undefined,
  language: VendorLanguage,
): LocalizedWording {
  const { kind } = template
  const current = getEffectiveWording(template, language)
  const defaults = getEffectiveWording(
    { kind, subject: null, body: null, spanishSubject: null, spanishBody: null },
    language,
  )
  return {
    subject: subject === undefined ? current.subject : (subject ?? defaults.subject),
    body: body === undefined ? current.body : appendNeededPlaceholder(body, DEFAULT_TEMPLATES[kind].needed),
    language: body === undefined ? current.language : language,
  }
}

type RecordIds = Pick<MessageTemplatePreview, 'vendorId' | 'homeId' | 'bidRequestId'>

const VALUE_SOURCES = [
  ['vendorId', 'vendors:read', named.findVendorValues],
  ['homeId', 'homes:read', named.findHomeValues],
  ['bidRequestId', 'bids:read', named.findBidRequestValues],
] as const

async function findValues(call: Call, ids: RecordIds, locale: MailLocale): Promise<PlaceholderValues> {
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
    const values = await read(call, id, locale)
    if (values === undefined) unknown.push(`/${field}`)
    else found.push(values)
  }
  if (unknown.length > 0) throw unknownReference(unknown)
  return Object.assign({}, ...found) as PlaceholderValues
}
