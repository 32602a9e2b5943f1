import type { Logger } from 'pino'
import type { Services } from '../../../platform/calls/call.ts'
import { createVault } from '../../../platform/encryption/vault.ts'
import type { MailOutcome } from '../../../platform/monitoring/metrics.ts'
import type { FailureLog } from '../../../platform/problems/failure-log.ts'
import { getLinkEncryptionContext, insertLink } from './mail-link.ts'
import {
  connectMailServer,
  MAX_CONNECTIONS,
  type MailConnection,
  MailRejectedError,
  MailServerUnavailableError,
} from './mail-server.ts'
import { type ClaimedMail, claimMails, type MailAttemptOutcome, storeMailOutcome } from './queries.ts'
import { toReplyAddress } from './reply-addresses.ts'

const MINUTE_MS = 60_000

/** The delays before the second and later attempts. A mail server may be unavailable for a night, but not for days. */
const RETRY_PAUSES_MS = [1, 5, 30, 120, 360, 720].map((minutes) => minutes * MINUTE_MS)

/**
 * Longer than the maximum duration of an attempt (20 s), so that two processes cannot send the same email concurrently.
 */
const CLAIM_MS = 2 * MINUTE_MS

/**
 * The maximum number of attempts in one run, so that a shutdown does not wait for a long queue. The next run starts a
 * second later.
 */
const MAX_ATTEMPTS_PER_RUN = 100

export interface MailSenderParts {
  services: Services
  log: Logger
  failures: FailureLog
  /** Called after each attempt. */
  mailAttempted?(outcome: MailOutcome): void
}

export interface MailSender {
  /** Sends the due emails. */
  run(): Promise<void>
  /** Stops starting new attempts. An attempt in progress continues. */
  stop(): void
  close(): void
}

/**
 * Sends the emails in the outbox. Several processes can send emails concurrently. Each process claims emails that no
 * other process has claimed, up to its number of connections. An email is normally sent once. If a process ends after
 * the server's response but before its own commit, the email is sent again with the same Message-ID.
 */
export function startMailSender({ services, log, failures, mailAttempted }: MailSenderParts): MailSender | null {
  const { database, clock, config } = services
  if (config.mail === null) return null
  const post = connectMailServer(config.mail)
  let stopped = false
  return {
    async run() {
      for (let sent = 0; sent < MAX_ATTEMPTS_PER_RUN && !stopped; sent += MAX_CONNECTIONS) {
        const until = new Date(clock.nowMs() + CLAIM_MS)
        const mails = await claimMails(database.statements, clock.now(), until, MAX_CONNECTIONS)
        await Promise.all(
          mails.map(async (mail) => {
            const settled = await attemptMail(services, post, mail)
            const { status, lastError, serverError } = settled
            mailAttempted?.(status === 'queued' ? 'deferred' : status)
            // Report server errors as one failure. Otherwise, an unreachable mail server would cause a log line for
            // each attempt of each queued email.
            if (serverError !== null) failures.failed('reachMailServer', serverError)
            else failures.succeeded('reachMailServer')
            if (status === 'failed' || (status === 'queued' && serverError === null))
              log.warn({ mailId: mail.id, error: lastError }, 'could not send an email')
            await database.transaction((trx) => storeMailOutcome(trx, mail, settled, clock.now()))
          }),
        )
        if (mails.length < MAX_CONNECTIONS) return
      }
    },
    stop() {
      stopped = true
    },
    close: post.close,
  }
}

interface MailAttempt extends MailAttemptOutcome {
  /** The error, if the attempt failed for a reason that is unrelated to the email; otherwise, null. */
  serverError: MailServerUnavailableError | null
}

async function attemptMail({ config, clock }: Services, post: MailConnection, mail: ClaimedMail): Promise<MailAttempt> {
  try {
    const { organizationId, id, builderName: fromName, to, subject, text, sealedLink, replyToken } = mail
    const { attachmentName, attachment: bytes } = mail
    const attachment = attachmentName === null || bytes === null ? null : { fileName: attachmentName, bytes }
    // The address was replaced when the data of its owner was erased (see docs/operating/data-retention.md).
    if (to.endsWith('.invalid')) throw new MailRejectedError('The email address has been erased.')
    const link =
      sealedLink === null
        ? ''
        : createVault(config.encryptionKey).open(sealedLink, getLinkEncryptionContext(organizationId, id))
    const { inboundMail } = config
    const replyTo = inboundMail === null || replyToken === null ? mail.replyTo : toReplyAddress(inboundMail, replyToken)
    await post.send({ id, fromName, replyTo, to, subject, text: insertLink(text, link), attachment })
    return { status: 'sent', lastError: null, nextAttemptAt: null, serverError: null }
  } catch (error) {
    const lastError = error instanceof Error ? error.message : String(error)
    const serverError = error instanceof MailServerUnavailableError ? error : null
    const pause = RETRY_PAUSES_MS[mail.attempts - 1]
    if (error instanceof MailRejectedError || pause === undefined)
      return { status: 'failed', lastError, nextAttemptAt: null, serverError }
    return { status: 'queued', lastError, nextAttemptAt: new Date(clock.nowMs() + pause), serverError }
  }
}
