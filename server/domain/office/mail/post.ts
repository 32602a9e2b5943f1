import type { Transporter } from 'nodemailer'
import type { MailServer } from '../../../platform/config/config.ts'
import { htmlOf } from '../message-templates/letter.ts'

/** Hands mails over to the mail server. */
export interface Post {
  send(letter: Posted): Promise<void>
  /** Connects and signs in, without sending anything. */
  check(): Promise<void>
  close(): void
}

export interface Posted {
  id: string
  /** Who it comes from, as readers see it; the address is the operator's. */
  fromName: string
  /** The address of the builder that a response goes to; null for none, so that it goes to the operator's. */
  replyTo: string | null
  to: string
  subject: string
  text: string
}

/** Mail servers limit connections from one address, often to 10; a service may run as several processes. */
export const MOST_CONNECTIONS = 4

/** How long the mail server may say nothing, and how long one mail may take altogether. */
const SILENCE_MS = 10_000
const WHOLE_MS = 20_000

/** A refusal for good, which another attempt would only repeat. */
export class Refused extends Error {}

/** The mail server is unreachable, or rejects this service before it has seen a mail. */
export class ServerAway extends Error {}

export function openPost(server: MailServer): Post {
  const { host, port, secure, user, password, from } = server
  const options = {
    ...{ pool: true, host, port, secure, maxConnections: MOST_CONNECTIONS },
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    // A password never leaves in clear text, except to this machine.
    requireTLS: !secure && user !== null && !isLoopback(host),
    ...{
      connectionTimeout: SILENCE_MS,
      greetingTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      dnsTimeout: SILENCE_MS,
    },
    // Another attempt is the outbox's affair, which counts it.
    maxRequeues: 0,
    ...{ disableFileAccess: true, disableUrlAccess: true },
  }
  // The library takes 20 MB, which a service is spared until there is a mail to send.
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

    async send({ id, fromName, replyTo, to, subject, text }) {
      const letter = {
        // Objects, because a text would be read as a list of addresses.
        from: { name: oneLine(fromName), address: from },
        ...(replyTo !== null && { replyTo: { name: oneLine(fromName), address: replyTo } }),
        to: { name: '', address: to },
        // The same at every attempt, so that a mail that arrived twice after all is recognized.
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...{ subject: oneLine(subject), text, html: htmlOf(text) },
        signal: AbortSignal.timeout(WHOLE_MS),
      }
      try {
        await (await opened()).sendMail(letter)
      } catch (error) {
        const words = wordsOf(error)
        if (!isAboutMail(error)) throw new ServerAway(words)
        throw isRefusal(error) ? new Refused(words) : new Error(words)
      }
    },
    close: () => void transport?.then((each) => each.close()),
  }
}

function isLoopback(host: string): boolean {
  return /^(localhost|::1|127(\.\d+){3})$/i.test(host)
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

function isAboutMail(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'EENVELOPE' || code === 'EMESSAGE'
}

// That the server does not let us in is an affair of the operator's, who can put it right; the mail waits for it.
function isRefusal(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: unknown }
  return isAboutMail(error) && typeof responseCode === 'number' && responseCode >= 500
}

function wordsOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error)).slice(0, 500)
}
