import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { validationFailed } from '../../platform/problems/problem.ts'

/** An email as the mail provider delivers it. */
export interface InboundMailBody {
  /** The header Message-ID, which identifies an email. The provider may deliver the same email twice. */
  messageId: string
  from: string
  to: string[]
  subject?: string | null
  /** The text of the email, without HTML. */
  text?: string | null
  /** The HTML of the email. Only shows which files are pictures of the text. */
  html?: string | null
  /** The header Auto-Submitted, which marks vacation notices and other automatic emails. */
  autoSubmitted?: string | null
  attachments?: InboundFile[]
}

export interface InboundFile {
  fileName: string
  /** The content of the file, encoded as base64. */
  content: string
  /** Whether the file is embedded in the text, such as the logo of a signature. Such files are not stored. */
  inline?: boolean
  /** The header Content-ID, by which the HTML refers to the file. */
  contentId?: string | null
}

/** The maximum size of a request. Mail providers deliver emails of at most 25 to 50 MB, and base64 adds a third. */
export const MAX_BODY_BYTES = 36 * 1024 * 1024

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['messageId', 'from', 'to'],
  properties: {
    messageId: { type: 'string', minLength: 1, maxLength: 1000 },
    from: { type: 'string', minLength: 3, maxLength: 1000 },
    to: { type: 'array', minItems: 1, maxItems: 100, items: { type: 'string', minLength: 3, maxLength: 1000 } },
    subject: { type: ['string', 'null'], maxLength: 10_000 },
    text: { type: ['string', 'null'], maxLength: 1_000_000 },
    html: { type: ['string', 'null'], maxLength: 5_000_000 },
    autoSubmitted: { type: ['string', 'null'], maxLength: 1000 },
    attachments: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['fileName', 'content'],
        properties: {
          fileName: { type: 'string', minLength: 1, maxLength: 1000 },
          content: { type: 'string', maxLength: MAX_BODY_BYTES },
          inline: { type: 'boolean' },
          contentId: { type: ['string', 'null'], maxLength: 1000 },
        },
      },
    },
  },
}

const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile<InboundMailBody>(SCHEMA)

/** Checks that the body is an email and returns it. Throws `validation_failed` with all errors. */
export function parseInboundMail(body: unknown): InboundMailBody {
  if (validate(body)) return body
  throw validationFailed((validate.errors ?? []).map(toFieldError))
}

function toFieldError({ instancePath, keyword, message, params }: ErrorObject) {
  const name: unknown = params.missingProperty ?? params.additionalProperty
  const pointer = typeof name === 'string' ? `${instancePath}/${name}` : instancePath
  if (keyword === 'required') return { pointer, code: 'required', message: 'is required' }
  if (keyword === 'additionalProperties') return { pointer, code: 'unknown', message: 'is not a field of an email' }
  return { pointer, code: keyword, message: message ?? 'is not valid' }
}

/** Returns the email address in a header such as `Sam <sam@example.com>`, in lowercase. */
export function readAddress(header: string): string {
  const [, bracketed] = /<([^<>]*)>\s*$/.exec(header) ?? []
  return (bracketed ?? header).trim().toLowerCase()
}
