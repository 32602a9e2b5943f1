import type { Logger } from 'pino'
import type { Surroundings } from '../../../platform/calls/call.ts'
import { vault } from '../../../platform/encryption/vault.ts'
import type { MailOutcome } from '../../../platform/monitoring/metrics.ts'
import type { FailureLog } from '../../../platform/problems/failure-log.ts'
import { placeOfLink, withLink } from './link.ts'
import { MOST_CONNECTIONS, openPost, type Post, Refused, ServerAway } from './post.ts'
import { type Claimed, claim, type Settled, settle } from './queries.ts'

const MINUTE_MS = 60_000

/** The pauses before the second and each further attempt. A mail server may be down for a night, but not for days. */
const PAUSES_MS = [1, 5, 30, 120, 360, 720].map((minutes) => minutes * MINUTE_MS)

/** Longer than an attempt may take (20 s), so that two processes never send the same mail at once. */
const CLAIMED_MS = 2 * MINUTE_MS

/** Attempts per run, so that a shutdown need not wait for a long queue. The next run follows after a second. */
const MOST_AT_ONCE = 100

export interface MailingParts {
  surroundings: Surroundings
  log: Logger
  failures: FailureLog
  /** Called for every attempt. */
  mailAttempted?(outcome: MailOutcome): void
}

export interface Mailing {
  /** Sends the due mails. */
  run(): Promise<void>
  /** Stops starting new attempts. */
  stop(): void
  close(): void
}

/**
 * Sends the mails in the outbox. Any number of processes may do so concurrently: each claims mails that no other has,
 * as many as it has connections. A mail is sent exactly once as far as SMTP allows: if a process ends between the
 * server's response and its own commit, the mail is sent again with the same Message-ID.
 */
export function startMailing({ surroundings, log, failures, mailAttempted }: MailingParts): Mailing | null {
  const { database, clock, config } = surroundings
  if (config.mail === null) return null
  const post = openPost(config.mail)
  let stopped = false
  return {
    async run() {
      for (let sent = 0; sent < MOST_AT_ONCE && !stopped; sent += MOST_CONNECTIONS) {
        const until = new Date(clock.nowMs() + CLAIMED_MS)
        const mails = await claim(database.statements, clock.now(), until, MOST_CONNECTIONS)
        await Promise.all(
          mails.map(async (mail) => {
            const settled = await attempt(surroundings, post, mail)
            const { status, lastError, serverError } = settled
            mailAttempted?.(status === 'queued' ? 'deferred' : status)
            // Otherwise an unreachable mail server would log a line for each attempt of each waiting mail.
            if (serverError !== null) failures.failed('reachMailServer', serverError)
            else failures.succeeded('reachMailServer')
            if (status === 'failed' || (status === 'queued' && serverError === null))
              log.warn({ mailId: mail.id, error: lastError }, 'could not send an email')
            await settle(database.statements, mail, settled, clock.now())
          }),
        )
        if (mails.length < MOST_CONNECTIONS) return
      }
    },
    stop() {
      stopped = true
    },
    close: post.close,
  }
}

interface Attempted extends Settled {
  /** Set if the attempt failed for a reason that is unrelated to the mail. */
  serverError: ServerAway | null
}

async function attempt({ config, clock }: Surroundings, post: Post, mail: Claimed): Promise<Attempted> {
  try {
    const { organizationId, id, builderName: fromName, replyTo, to, subject, text, sealedLink } = mail
    // The address was erased with its owner (docs/operating/data-retention.md).
    if (to.endsWith('.invalid')) throw new Refused('The email address has been erased.')
    const link =
      sealedLink === null ? '' : vault(config.encryptionKey).open(sealedLink, placeOfLink(organizationId, id))
    await post.send({ id, fromName, replyTo, to, subject, text: withLink(text, link) })
    return { status: 'sent', lastError: null, nextAttemptAt: null, serverError: null }
  } catch (error) {
    const lastError = error instanceof Error ? error.message : String(error)
    const serverError = error instanceof ServerAway ? error : null
    const pause = PAUSES_MS[mail.attempts - 1]
    if (error instanceof Refused || pause === undefined)
      return { status: 'failed', lastError, nextAttemptAt: null, serverError }
    return { status: 'queued', lastError, nextAttemptAt: new Date(clock.nowMs() + pause), serverError }
  }
}
