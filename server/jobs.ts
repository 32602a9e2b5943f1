import type { Logger } from 'pino'
import { deleteOldUsage } from './domain/administration/usage/delete-old-usage.ts'
import { deleteRemovableFiles, storeSmallFiles } from './domain/attachments/storage-jobs.ts'
import { closeDueBidRequests } from './domain/bidding/bid-requests/close-due-bid-requests.ts'
import { expireBids } from './domain/bidding/bids/expire-bids.ts'
import { expireContracts } from './domain/bidding/contracts/expire-contracts.ts'
import { notifyDueTasks } from './domain/building/tasks/notify-due-tasks.ts'
import { checkLedgers } from './domain/ledger/check-ledgers.ts'
import { notifyDisabled } from './domain/messages/notify-disabled-webhooks.ts'
import { deleteOldMails } from './domain/office/mail/delete-old-mails.ts'
import { startMailSender } from './domain/office/mail/send-due-mails.ts'
import { closeUnpaidOrders } from './domain/paying/purchase-orders/close-unpaid-orders.ts'
import { advanceCompliance } from './domain/vendors/compliance-documents/advance-compliance.ts'
import { deleteOldResponses } from './interfaces/http/delete-old-responses.ts'
import { deleteUnusedApps } from './interfaces/oauth/delete-unused-apps.ts'
import { deleteOldProposals } from './interfaces/proposals/delete-old-proposals.ts'
import { expireProposals } from './interfaces/proposals/expire-proposals.ts'
import { startSandboxWorker } from './operators/demo/sandbox-worker.ts'
import { startDeletionWorker } from './operators/retention/delete-expired.ts'
import { deleteOldAuditEntries } from './platform/audit/delete-old-entries.ts'
import type { Services } from './platform/calls/call.ts'
import type { Config, EnvironmentConfig } from './platform/config/config.ts'
import type { Database, Db } from './platform/database/database.ts'
import { deleteEndedWindows } from './platform/database/delete-ended-windows.ts'
import { analyzeGrownTables, maintainEmbedded } from './platform/database/embedded-maintenance.ts'
import { watchEncryptionKey } from './platform/encryption/encryption-key.ts'
import { deleteOldExecutions } from './platform/executions/delete-old-executions.ts'
import { flushExecutions } from './platform/executions/execution-buffer.ts'
import { deleteEndedSessions } from './platform/keys/delete-old-identities.ts'
import type { MailOutcome } from './platform/monitoring/metrics.ts'
import type { FailureLog } from './platform/problems/failure-log.ts'
import type { Clock } from './platform/runtime/clock.ts'
import { indexChanges } from './platform/search/index-changes.ts'
import { deleteOldDeliveries } from './platform/webhooks/delete-old-deliveries.ts'
import type { AttemptReport } from './platform/webhooks/deliverer.ts'
import { type DeliveryPipeline, startDelivery } from './platform/webhooks/delivery.ts'
import { disableOrphans } from './platform/webhooks/disable-orphans.ts'
import type { DisabledWebhook } from './platform/webhooks/settlement.ts'

export interface JobParts {
  database: Database
  config: Config
  /** The configuration from the environment. The deployment's settings may override parts of it later. */
  given: EnvironmentConfig
  clock: Clock
  log: Logger
  failures: FailureLog
  services: Services
  /** Called for every delivery attempt. */
  attemptMade?(attempt: AttemptReport): void
  /** Called for every attempt to send a mail. */
  mailAttempted?(outcome: MailOutcome): void
}

export interface Jobs {
  /** Call this after committing something that a job processes. */
  wake(): void
  readonly delivery: DeliveryPipeline
  /** For each job, the number of seconds by which its next success is overdue; 0 while it is on time. */
  lags(): ReadonlyMap<string, number>
  /** Resolves after the work in progress has finished. */
  stop(): Promise<void>
}

interface Job {
  name: string
  everyMs: number
  run(): Promise<void>
}

/**
 * Starts the work that happens without a request: deadlines pass, documents expire, old rows are deleted. Every process
 * runs every job. Each is one cheap statement when nothing is due, and several processes can run it at once.
 */
export function startJobs(parts: JobParts): Jobs {
  const { database, config, given, clock, log, failures, services } = parts
  const tellOwners = (trx: Db, disabled: DisabledWebhook[]) => notifyDisabled(trx, services, disabled)
  const jobs: Job[] = [
    { name: 'forgetOldAnswers', everyMs: HOUR_MS, run: () => deleteOldResponses(database, clock) },
    {
      name: 'forgetOldDeliveries',
      everyMs: HOUR_MS,
      run: () => deleteOldDeliveries(database, clock, config.deliveryRetentionDays),
    },
    {
      name: 'forgetOldMails',
      everyMs: HOUR_MS,
      run: () => deleteOldMails(database, clock, config.deliveryRetentionDays),
    },
    { name: 'forgetEndedSessions', everyMs: HOUR_MS, run: () => deleteEndedSessions(database, clock) },
    { name: 'forgetUnusedApps', everyMs: HOUR_MS, run: () => deleteUnusedApps(database, clock) },
    { name: 'forgetEndedWindows', everyMs: HOUR_MS, run: () => deleteEndedWindows(database, clock) },
    { name: 'forgetOldUsage', everyMs: HOUR_MS, run: () => deleteOldUsage(database, clock) },
    { name: 'forgetOldAuditEntries', everyMs: HOUR_MS, run: () => deleteOldAuditEntries(database, clock, config) },
    { name: 'forgetOldProposals', everyMs: HOUR_MS, run: () => deleteOldProposals(database, clock, config) },
    { name: 'forgetOldExecutions', everyMs: HOUR_MS, run: () => deleteOldExecutions(database, clock, config) },
    { name: 'writeHeldExecutions', everyMs: 3000, run: () => flushExecutions(services) },
    { name: 'closeDueBidRequests', everyMs: 1000, run: () => closeDueBidRequests(services) },
    { name: 'expireBids', everyMs: 1000, run: () => expireBids(services) },
    { name: 'expireProposals', everyMs: MINUTE_MS, run: () => expireProposals(services) },
    { name: 'expireContracts', everyMs: 1000, run: () => expireContracts(services) },
    { name: 'closeUnpaidOrders', everyMs: 1000, run: () => closeUnpaidOrders(services) },
    { name: 'tellDueTasks', everyMs: 1000, run: () => notifyDueTasks(services) },
    { name: 'checkLedgers', everyMs: MINUTE_MS, run: () => checkLedgers(services) },
    { name: 'storeArrivals', everyMs: 1000, run: () => storeSmallFiles(services) },
    { name: 'removeLooseFiles', everyMs: MINUTE_MS, run: () => deleteRemovableFiles(services) },
    { name: 'disableOrphans', everyMs: 1000, run: () => disableOrphans(services, tellOwners) },
    { name: 'indexChanges', everyMs: 1000, run: () => indexChanges(database) },
    { name: 'advanceCompliance', everyMs: 1000, run: () => advanceCompliance(services) },
    { name: 'learnGrown', everyMs: 5000, run: () => analyzeGrownTables(database) },
  ]
  const mailing = startMailSender(parts)
  const tending = startSandboxWorker(services, log)
  jobs.push({ name: 'tendSandboxes', everyMs: 1000, run: tending.run })
  const forgetting = startDeletionWorker(services, config)
  jobs.push({ name: 'forgetAged', everyMs: HOUR_MS, run: forgetting.run })
  if (mailing !== null) jobs.push({ name: 'sendMails', everyMs: 1000, run: mailing.run })
  if (database.embedded) jobs.push({ name: 'keepUp', everyMs: MINUTE_MS, run: () => maintainEmbedded(database) })
  else {
    const run = () => watchEncryptionKey(database, given, config)
    jobs.push({ name: 'followEncryptionKey', everyMs: 1000, run })
  }
  const loops = jobs.map((job, i) =>
    startLoop(job, i * START_GAP_MS + (job.everyMs === HOUR_MS ? HOURLY_DELAY_MS : 0), failures),
  )
  const delivery = startDelivery({
    ...{ database, config, clock, log, failures, contract: services.contract },
    tellDisabled: tellOwners,
    eventsDispatched: () => services.eventWaits.dispatched(),
    ...(parts.attemptMade && { attemptMade: parts.attemptMade }),
  })
  return {
    wake: delivery.wake,
    delivery,
    lags: () => new Map(loops.map((each) => [each.name, each.lagSeconds()])),
    async stop() {
      // Jobs record events. The last of them are still dispatched here, and delivered after the next start at the
      // latest.
      mailing?.stop()
      tending.stop()
      forgetting.stop()
      await Promise.all(loops.map((each) => each.stop()))
      mailing?.close()
      await delivery.stop()
    },
  }
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

// Starting all jobs at once would take one connection each, and again every second.
const START_GAP_MS = 20
/** Hourly jobs start later, so that they do not compete with requests that waited for the start. */
const HOURLY_DELAY_MS = 5000

interface JobLoop {
  name: string
  lagSeconds(): number
  stop(): Promise<void>
}

// Runs a job repeatedly with a pause in between, so that a slow job never overlaps itself.
function startLoop({ name, everyMs, run }: Job, firstAfterMs: number, failures: FailureLog): JobLoop {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let dueMs = performance.now() + firstAfterMs
  const runAndPlan = async () => {
    try {
      await run()
      failures.succeeded(name)
      dueMs = performance.now() + everyMs
    } catch (error) {
      failures.failed(name, error)
    }
    if (!stopped) timer = setTimeout(begin, everyMs)
  }
  const begin = () => {
    running = runAndPlan()
  }
  let timer = setTimeout(begin, firstAfterMs)
  return {
    name,
    lagSeconds: () => Math.max(0, performance.now() - dueMs) / 1000,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
