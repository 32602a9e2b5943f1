import type { LienWaiverType, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import { WAIVER_SAMPLES } from './waiver-samples.ts'

/** The wording of one kind of email: texts with placeholders in double braces, such as `{{vendor.companyName}}`. */
export interface TemplateWording {
  /** Null for a lien waiver, which has no subject. */
  subject: string | null
  body: string
}

interface DefaultTemplate extends TemplateWording {
  /** The placeholders that the wording may contain. */
  placeholders: readonly string[]
  /** The placeholder that the email must contain. If the body omits it, it is appended. */
  needed?: string
}

/**
 * The placeholder for the portal link. This placeholder must not be in a subject, because the holder of the link can
 * act for the vendor.
 */
export const PORTAL_URL = 'portalUrl'
/**
 * The placeholders for links to the pages on which a vendor responds to an invitation. These URLs contain the portal
 * link, so they are equally secret.
 */
const RESPONSE_URLS = ['willBidUrl', 'passUrl'] as const
export const SECRET_URLS: readonly string[] = [PORTAL_URL, ...RESPONSE_URLS]

const COMMON_PLACEHOLDERS = ['builder.name', 'vendor.companyName'] as const
const REQUEST_PLACEHOLDERS = [
  'bidRequest.number',
  'bidRequest.title',
  'bidRequest.scope',
  'bidRequest.deadline',
  PORTAL_URL,
] as const
const WORK_PLACEHOLDERS = ['home.name', 'date', 'work', 'message'] as const
const SIGNATURE = '{{builder.name}}'

/** The placeholders that requestLienWaiver fills in with data of a payment. */
const PAYMENT_PLACEHOLDERS = [
  ...(['vendor.companyName', 'builder.name', 'home.address', 'home.lotNumber', 'community.name'] as const),
  ...(['order.number', 'payment.amount', 'payment.number', 'waiver.throughDate', 'waiver.exceptions'] as const),
] as const

const waiverTemplate = (type: LienWaiverType): DefaultTemplate => ({
  placeholders: PAYMENT_PLACEHOLDERS,
  subject: null,
  body: WAIVER_SAMPLES[type],
})

/** The default wordings. */
export const DEFAULT_TEMPLATES: Readonly<Record<MessageTemplateKind, DefaultTemplate>> = {
  message: {
    placeholders: ['builder.name', 'vendor.companyName', 'message.subject', 'message.body', PORTAL_URL],
    needed: 'message.body',
    subject: '{{message.subject}}',
    body: '{{message.body}}\n\n{{portalUrl}}',
  },
  portal_invitation: {
    placeholders: [...COMMON_PLACEHOLDERS, PORTAL_URL],
    needed: PORTAL_URL,
    subject: '{{builder.name}} invites you to its vendor portal',
    body: `{{vendor.companyName}},\n\n{{builder.name}} invites you to its vendor portal. There you can see your bid requests, orders and dates. Do not share this link: anyone who has it can act for you.\n\n{{portalUrl}}\n\n${SIGNATURE}`,
  },
  bid_invitation: {
    placeholders: [...COMMON_PLACEHOLDERS, ...REQUEST_PLACEHOLDERS, ...RESPONSE_URLS, 'message'],
    needed: PORTAL_URL,
    subject: 'Invitation to bid: {{bidRequest.number}} {{bidRequest.title}}',
    body: `{{vendor.companyName}},\n\n{{builder.name}} invites you to bid on {{bidRequest.number}} ({{bidRequest.title}}). Bids are due {{bidRequest.deadline}}.\n\n{{message}}\n\n{{portalUrl}}\n\nWe’ll bid: {{willBidUrl}}\nNo, we’ll pass: {{passUrl}}\n\n${SIGNATURE}`,
  },
  bid_reminder: {
    placeholders: [...COMMON_PLACEHOLDERS, ...REQUEST_PLACEHOLDERS, ...RESPONSE_URLS, 'message'],
    needed: PORTAL_URL,
    subject: 'Reminder: {{bidRequest.number}} {{bidRequest.title}}, bids due {{bidRequest.deadline}}',
    body: `{{vendor.companyName}},\n\n{{builder.name}} is waiting for your bid on {{bidRequest.number}} ({{bidRequest.title}}). Bids are due {{bidRequest.deadline}}.\n\n{{message}}\n\n{{portalUrl}}\n\nWe’ll bid: {{willBidUrl}}\nNo, we’ll pass: {{passUrl}}\n\n${SIGNATURE}`,
  },
  bid_receipt: {
    placeholders: [...COMMON_PLACEHOLDERS, ...REQUEST_PLACEHOLDERS, 'bid.summary'],
    needed: PORTAL_URL,
    subject: 'Receipt for your bid: {{bidRequest.number}} {{bidRequest.title}}',
    body: `{{vendor.companyName}},\n\n{{builder.name}} received your bid for {{bidRequest.number}} ({{bidRequest.title}}).\n\n{{bid.summary}}\n\nThis link shows everything that you sent:\n\n{{portalUrl}}\n\n${SIGNATURE}`,
  },
  lien_waiver: {
    placeholders: [...COMMON_PLACEHOLDERS, 'payment.number', 'payment.amount', 'waiver.throughDate'],
    subject: 'Please sign the lien waiver for {{payment.number}}',
    body: `{{vendor.companyName}},\n\n{{builder.name}} asks you to sign a lien waiver for payment {{payment.number}} of {{payment.amount}}, for work through {{waiver.throughDate}}. You can read and sign it in the portal. Use the portal link that you received earlier.\n\n${SIGNATURE}`,
  },
  advance: {
    placeholders: [...COMMON_PLACEHOLDERS, ...WORK_PLACEHOLDERS],
    subject: '{{home.name}}: {{work}} starting {{date}}',
    body: `{{vendor.companyName}},\n\nYou are scheduled at {{home.name}} starting {{date}}: {{work}}.\n\n{{message}}\n\n${SIGNATURE}`,
  },
  reminder: {
    placeholders: [...COMMON_PLACEHOLDERS, ...WORK_PLACEHOLDERS],
    subject: 'Reminder: {{home.name}}, {{work}} starting {{date}}',
    body: `{{vendor.companyName}},\n\nThis is a reminder that you are scheduled at {{home.name}} starting {{date}}: {{work}}.\n\n{{message}}\n\n${SIGNATURE}`,
  },
  moved_earlier: {
    placeholders: [...COMMON_PLACEHOLDERS, ...WORK_PLACEHOLDERS],
    subject: '{{home.name}}: moved earlier, to {{date}}',
    body: `{{vendor.companyName}},\n\nThe schedule of {{home.name}} has changed. You are now needed earlier:\n\n{{work}}\n\n{{message}}\n\n${SIGNATURE}`,
  },
  postponed: {
    placeholders: [...COMMON_PLACEHOLDERS, ...WORK_PLACEHOLDERS],
    subject: '{{home.name}}: postponed to {{date}}',
    body: `{{vendor.companyName}},\n\nThe schedule of {{home.name}} has changed. You are now needed later:\n\n{{work}}\n\n{{message}}\n\n${SIGNATURE}`,
  },
  lien_waiver_conditional_progress: waiverTemplate('conditional_progress'),
  lien_waiver_unconditional_progress: waiverTemplate('unconditional_progress'),
  lien_waiver_conditional_final: waiverTemplate('conditional_final'),
  lien_waiver_unconditional_final: waiverTemplate('unconditional_final'),
}

export const TEMPLATE_KINDS = Object.keys(DEFAULT_TEMPLATES) as MessageTemplateKind[]
