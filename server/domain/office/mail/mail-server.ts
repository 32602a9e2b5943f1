import type { Transporter } from 'nodemailer'
import type { MailServer } from '../../../platform/config/config.ts'
import { toHtml } from '../message-templates/render-mail.ts'

/** Sends emails through the mail server. */
export interface MailConnection {
  send(letter: MailContent): Promise<void>
  /** Connects and signs in without sending anything. */
  check(): Promise<void>
  close(): void
}

export interface MailContent {
  id: string
  /** The name of the sender that recipients see. The address is that of the operator. */
  fromName: string
  /** The builder's address for replies; null to use that of the operator. */
  replyTo: string | null
  to: string
  subject: string
  text: string
  /** The attached file; null if there is none. */
  attachment: { fileName: string; bytes: Buffer } | null
}

/** Mail servers limit the connections from one IP address, often to 10. The service may run as several processes. */
export const MAX_CONNECTIONS = 4

/** The time limits for silence of the mail server, and for sending one email. */
const SILENCE_TIMEOUT_MS = 10_000
const TOTAL_TIMEOUT_MS = 20_000

/** Thrown if the mail server permanently rejects an email, so that another attempt would fail as well. */
export class MailRejectedError extends Error {}

/** Thrown if the mail server is unreachable, or rejects this service before it receives an email. */
export class MailServerUnavailableError extends Error {}

export function connectMailServer(server: MailServer): MailConnection {
  const { host, port, secure, user, password, from } = server
  const options = {
    ...{ pool: true, host, port, secure, maxConnections: MAX_CONNECTIONS },
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    // Without TLS, a password is sent only to this machine.
    requireTLS: !secure && user !== null && !isLoopback(host),
    ...{
      connectionTimeout: SILENCE_TIMEOUT_MS,
      greetingTimeout: SILENCE_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      dnsTimeout: SILENCE_TIMEOUT_MS,
    },
    // The outbox counts and repeats the attempts, so the library must not.
    maxRequeues: 0,
    ...{ disableFileAccess: true, disableUrlAccess: true },
  }
  // The library uses 20 MB, so it is loaded when the first email is sent.
  let transport: Promise<Transporter> | null = null
  const domain = from.slice(from.indexOf('@') + 1)
  const opened = () => {
    transport ??= import('nodemailer').then(({ createTransport }) => createTransport(options))
    return transport
  }
  return {
    async check() {
      await (await opened()).verify()
    },

    async send({ id, fromName, replyTo, to, subject, text, attachment }) {
      const letter = {
        // Use objects, because the library would parse a string as a list of addresses.
        from: { name: toOneLine(fromName), address: from },
        ...(replyTo !== null && { replyTo: { name: toOneLine(fromName), address: replyTo } }),
        to: { name: '', address: to },
        // The ID is the same for all attempts, so that mail programs recognize an email that arrives twice.
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...{ subject: toOneLine(subject), text, html: toHtml(text) },
        ...(attachment !== null && { attachments: [{ filename: attachment.fileName, content: attachment.bytes }] }),
        signal: AbortSignal.timeout(TOTAL_TIMEOUT_MS),
      }
      try {
        await (await opened()).sendMail(letter)
      } catch (error) {
        const words = describeMailError(error)
        if (!isMailError(error)) throw new MailServerUnavailableError(words)
        throw isPermanentRefusal(error) ? new MailRejectedError(words) : new Error(words)
      }
    },
    close: () => void transport?.then((each) => each.close()),
  }
}

function isLoopback(host: string): boolean {
  return /^(localhost|::1|127(\.\d+){3})$/i.test(host)
}

function toOneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

function isMailError(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'EENVELOPE' || code === 'EMESSAGE'
}

// Returns whether the server rejected the email permanently. A failed sign-in of the service does not count: the email
// stays queued until the operator corrects the configuration.
function isPermanentRefusal(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: unknown }
  return isMailError(error) && typeof responseCode === 'number' && responseCode >= 500
}

function describeMailError(error: unknown): string {
  return toOneLine(error instanceof Error ? error.message : String(error)).slice(0, 500)
}
