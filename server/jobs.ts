import type { Logger } from 'pino'
import { deleteOldUsage } from './domain/administration/usage/delete-old-usage.ts'
import { classifyFiles } from './domain/attachments/classify-files.ts'
import { toUnstoredFilesSql } from './domain/attachments/queries.ts'
import { deleteRemovableFiles, storeSmallFiles } from './domain/attachments/storage-jobs.ts'
import { closeDueBidRequests } from './domain/bidding/bid-requests/close-due-bid-requests.ts'
import { toOverdueBidRequestsSql } from './domain/bidding/bid-requests/queries.ts'
import { expireBids } from './domain/bidding/bids/expire-bids.ts'
import { toExpiredBidsSql } from './domain/bidding/bids/queries.ts'
import { expireContracts } from './domain/bidding/contracts/expire-contracts.ts'
import { toExpiredContractsSql } from './domain/bidding/contracts/queries.ts'
import { lockDueLogs } from './domain/building/daily-logs/lock-due-logs.ts'
import { toLogsToLockSql } from './domain/building/daily-logs/queries.ts'
import { advancePermits } from './domain/building/permits/advance-permits.ts'
import { toDuePermitsSql } from './domain/building/permits/queries.ts'
import { toDueTasksSql } from './domain/building/tasks/due-queries.ts'
import { notifyDueTasks } from './domain/building/tasks/notify-due-tasks.ts'
import { toHomesToRescheduleSql } from './domain/flows/communities/due-reschedules.ts'
import { rescheduleDueHomes } from './domain/flows/communities/reschedule-due-homes.ts'
import { checkAndCorrectLedgers } from './domain/flows/ledger-corrections/correct-differences.ts'
import { toUncheckedLedgersSql } from './domain/ledger/check-ledgers.ts'
import { notifyDisabledWebhooks } from './domain/messages/notify-disabled-webhooks.ts'
import { deleteOldMails } from './domain/office/mail/delete-old-mails.ts'
import { toDueMailsSql } from './domain/office/mail/queries.ts'
import { deleteOldReplyAddresses } from './domain/office/mail/reply-addresses.ts'
import { startMailSender } from './domain/office/mail/send-due-mails.ts'
import { toUnclaimedSandboxesSql } from './domain/office/organizations/sandboxes.ts'
import {
  closeZeroAmountOrders,
  toZeroAmountOrdersSql,
} from './domain/paying/purchase-orders/close-zero-amount-orders.ts'
import { notifyPunchAssignments } from './domain/quality/punch-items/notify-assignments.ts'
import { toDueNoticesSql } from './domain/quality/punch-items/queries.ts'
import { advanceWarrantyRequests } from './domain/quality/warranty-requests/advance-warranty-requests.ts'
import { toDueRequestsSql } from './domain/quality/warranty-requests/queries.ts'
import { advanceCompliance } from './domain/vendors/compliance-documents/advance-compliance.ts'
import { toVendorsToReviewSql } from './domain/vendors/compliance-documents/queries.ts'
import { renewDuplicateKeys } from './domain/vendors/vendors/renew-duplicate-keys.ts'
import { deleteOldResponses } from './interfaces/http/delete-old-responses.ts'
import { deleteOldImportRows, processImports } from './interfaces/imports/process-imports.ts'
import { toRunningImportsSql } from './interfaces/imports/queries.ts'
import { deleteUnusedApps } from './interfaces/oauth/delete-unused-apps.ts'
import { deleteOldReturnedForms } from './interfaces/portal/forms/returned-forms.ts'
import { deleteOldProposals } from './interfaces/proposals/delete-old-proposals.ts'
import { expireProposals } from './interfaces/proposals/expire-proposals.ts'
import { toExpiredProposalsSql } from './interfaces/proposals/queries.ts'
import { mailDueReports } from './interfaces/reports/mail-due-reports.ts'
import { startSandboxWorker } from './operators/demo/sandbox-worker.ts'
import { startDeletionWorker } from './operators/retention/delete-expired.ts'
import { deleteOldAuditEntries } from './platform/audit/delete-old-entries.ts'
import type { Services } from './platform/calls/call.ts'
import type { Config, EnvironmentConfig } from './platform/config/config.ts'
import type { Database, Db } from './platform/database/database.ts'
import { deleteEndedLimitWindows } from './platform/database/delete-ended-limit-windows.ts'
import { analyzeGrownTables, maintainEmbeddedDatabase } from './platform/database/embedded-maintenance.ts'
import { type DueSql, findDueJobs } from './platform/due/find-due-jobs.ts'
import { refreshEncryptionKeys } from './platform/encryption/encryption-key.ts'
import { deleteOldExecutions } from './platform/executions/delete-old-executions.ts'
import { flushExecutions } from './platform/executions/execution-buffer.ts'
import { deleteEndedSessions } from './platform/keys/delete-old-identities.ts'
import type { MailOutcome } from './platform/monitoring/metrics.ts'
import type { FailureLog } from './platform/problems/failure-log.ts'
import type { Clock } from './platform/runtime/clock.ts'
import { indexChanges, toQueuedChangesSql } from './platform/search/index-changes.ts'
import { toDueDeliveriesSql } from './platform/webhooks/claims.ts'
import { deleteOldDeliveries } from './platform/webhooks/delete-old-deliveries.ts'
import type { AttemptReport } from './platform/webhooks/deliverer.ts'
import { type DeliveryPipeline, startDelivery } from './platform/webhooks/delivery.ts'
import { disableOrphanedWebhooks, toOrphanedWebhooksSql } from './platform/webhooks/disable-orphaned-webhooks.ts'
import { toUndispatchedEventsSql } from './platform/webhooks/dispatcher.ts'
import type { DisabledWebhook } from './platform/webhooks/settlement.ts'

export interface JobParts {
  database: Database
  config: Config
  /** The configuration from the environment. Settings of the deployment may override parts of it later. */
  given: EnvironmentConfig
  clock: Clock
  log: Logger
  failures: FailureLog
  services: Services
  /** Called after each delivery attempt. */
  attemptMade?(attempt: AttemptReport): void
  /** Called after each attempt to send an email. */
  mailAttempted?(outcome: MailOutcome): void
}

export interface Jobs {
  /** Makes the jobs look for work. Call this function after committing data that a job processes. */
  wake(): void
  readonly delivery: DeliveryPipeline
  /** Returns the number of seconds by which each job's next success is overdue; 0 if the job is on time. */
  lags(): ReadonlyMap<string, number>
  /** Resolves after the work in progress has finished. */
  stop(): Promise<void>
}

interface Job {
  name: string
  run(): Promise<void>
}

/** A job that runs at regular intervals. */
interface TimedJob extends Job {
  everyMs: number
}

/** A job that runs only when there is work for it. */
interface DueJob extends Job {
  due: DueSql
}

/**
 * Starts the jobs, which do the work that no request triggers, such as handling deadlines, expired documents, and old
 * rows. Every process runs every job, and several processes can run a job at the same time. About once a second, one
 * statement finds the jobs that have work.
 */
export function startJobs(parts: JobParts): Jobs {
  const { database, config, given, clock, log, failures, services } = parts
  const tellOwners = (trx: Db, disabled: DisabledWebhook[]) => notifyDisabledWebhooks(trx, services, disabled)
  const jobs: TimedJob[] = [
    { name: 'forgetOldAnswers', everyMs: HOUR_MS, run: () => deleteOldResponses(database, clock) },
    { name: 'forgetReturnedForms', everyMs: HOUR_MS, run: () => deleteOldReturnedForms(database, clock) },
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
    { name: 'forgetOldReplyAddresses', everyMs: HOUR_MS, run: () => deleteOldReplyAddresses(database, clock) },
    { name: 'forgetEndedSessions', everyMs: HOUR_MS, run: () => deleteEndedSessions(database, clock) },
    { name: 'forgetUnusedApps', everyMs: HOUR_MS, run: () => deleteUnusedApps(database, clock) },
    { name: 'forgetEndedWindows', everyMs: HOUR_MS, run: () => deleteEndedLimitWindows(database, clock) },
    { name: 'forgetOldUsage', everyMs: HOUR_MS, run: () => deleteOldUsage(database, clock) },
    { name: 'forgetOldAuditEntries', everyMs: HOUR_MS, run: () => deleteOldAuditEntries(database, clock, config) },
    { name: 'forgetOldProposals', everyMs: HOUR_MS, run: () => deleteOldProposals(database, clock, config) },
    { name: 'forgetOldExecutions', everyMs: HOUR_MS, run: () => deleteOldExecutions(database, clock, config) },
    { name: 'forgetOldImportRows', everyMs: HOUR_MS, run: () => deleteOldImportRows(database, clock) },
    { name: 'mailDueReports', everyMs: MINUTE_MS, run: () => mailDueReports(services) },
    { name: 'writeHeldExecutions', everyMs: 3000, run: () => flushExecutions(services) },
    { name: 'removeLooseFiles', everyMs: MINUTE_MS, run: () => deleteRemovableFiles(services) },
    { name: 'classifyFiles', everyMs: MINUTE_MS, run: untilNothingIsLeft(() => classifyFiles(database)) },
    { name: 'renewDuplicateKeys', everyMs: MINUTE_MS, run: untilNothingIsLeft(() => renewDuplicateKeys(database)) },
    { name: 'learnGrown', everyMs: 5000, run: () => analyzeGrownTables(database) },
  ]
  const mailing = startMailSender(parts)
  const tending = startSandboxWorker(services, log)
  const forgetting = startDeletionWorker(services, config)
  jobs.push({ name: 'forgetAged', everyMs: HOUR_MS, run: forgetting.run })
  if (database.embedded)
    jobs.push({ name: 'keepUp', everyMs: MINUTE_MS, run: () => maintainEmbeddedDatabase(database) })
  else {
    const run = () => refreshEncryptionKeys(database, given, config)
    jobs.push({ name: 'followEncryptionKey', everyMs: 1000, run })
  }
  const timed = jobs.map((job, i) =>
    startLoop(job, i * START_GAP_MS + (job.everyMs === HOUR_MS ? HOURLY_DELAY_MS : 0), failures),
  )
  const delivery = startDelivery({
    ...{ database, config, clock, log, failures, contract: services.contract },
    tellDisabled: tellOwners,
    eventsDispatched: () => services.eventWaits.dispatched(),
    ...(parts.attemptMade && { attemptMade: parts.attemptMade }),
  })
  const dueJobs: DueJob[] = [
    { name: 'closeDueBidRequests', due: toOverdueBidRequestsSql, run: () => closeDueBidRequests(services) },
    { name: 'expireBids', due: toExpiredBidsSql, run: () => expireBids(services) },
    { name: 'expireProposals', due: toExpiredProposalsSql, run: () => expireProposals(services) },
    { name: 'expireContracts', due: toExpiredContractsSql, run: () => expireContracts(services) },
    { name: 'closeUnpaidOrders', due: toZeroAmountOrdersSql, run: () => closeZeroAmountOrders(services) },
    { name: 'tellDueTasks', due: toDueTasksSql, run: () => notifyDueTasks(services) },
    { name: 'rescheduleHomes', due: toHomesToRescheduleSql, run: () => rescheduleDueHomes(services) },
    { name: 'lockLogs', due: toLogsToLockSql, run: () => lockDueLogs(services) },
    { name: 'advancePermits', due: toDuePermitsSql, run: () => advancePermits(services) },
    { name: 'notifyPunchAssignments', due: toDueNoticesSql, run: () => notifyPunchAssignments(services) },
    { name: 'advanceWarrantyRequests', due: toDueRequestsSql, run: () => advanceWarrantyRequests(services) },
    { name: 'processImports', due: toRunningImportsSql, run: () => processImports(services) },
    { name: 'checkLedgers', due: toUncheckedLedgersSql, run: () => checkAndCorrectLedgers(services) },
    { name: 'storeArrivals', due: toUnstoredFilesSql, run: () => storeSmallFiles(services) },
    {
      name: 'disableOrphans',
      due: toOrphanedWebhooksSql(services),
      run: () => disableOrphanedWebhooks(services, tellOwners),
    },
    { name: 'indexChanges', due: toQueuedChangesSql, run: () => indexChanges(database) },
    { name: 'advanceCompliance', due: toVendorsToReviewSql, run: () => advanceCompliance(services) },
    { name: 'tendSandboxes', due: toUnclaimedSandboxesSql, run: tending.run },
    { name: 'dispatchEvents', due: toUndispatchedEventsSql, run: async () => delivery.wake() },
    { name: 'deliverEvents', due: toDueDeliveriesSql, run: delivery.look },
    ...(mailing === null ? [] : [{ name: 'sendMails', due: toDueMailsSql, run: mailing.run }]),
  ]
  const polled = startPolling(dueJobs, database, clock, failures)
  return {
    wake: delivery.wake,
    delivery,
    lags: () => new Map([...timed, ...polled].map((each) => [each.name, each.lagSeconds()])),
    async stop() {
      // Stopping jobs may record more events. These events are still dispatched here, and are delivered after the next
      // start at the latest.
      mailing?.stop()
      tending.stop()
      forgetting.stop()
      await Promise.all([...timed, ...polled].map((each) => each.stop()))
      mailing?.close()
      await delivery.stop()
    },
  }
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

// The delay between the starts of two jobs. Without it, all jobs would use a connection at the same moment, again every
// second.
const START_GAP_MS = 20
/**
 * The first run of hourly jobs is delayed, so that they do not compete with requests that waited for the service to
 * start.
 */
const HOURLY_DELAY_MS = 5000

interface JobLoop {
  name: string
  lagSeconds(): number
  stop(): Promise<void>
}

/**
 * The interval between two checks for work. It is a little longer than a second. Together with the jobs that run every
 * minute, an idle process therefore sends at most one statement per second to all nodes of a distributed database.
 */
const POLL_INTERVAL_MS = 1100

/** Runs the jobs that have work. Two runs of a job never overlap, and a job never delays another job. */
function startPolling(jobs: readonly DueJob[], database: Database, clock: Clock, failures: FailureLog): JobLoop[] {
  const sources = new Map(jobs.map(({ name, due }) => [name, due]))
  const runs = jobs.map((job) => createDueRun(job, failures))
  const polling = startLoop(
    {
      name: 'findDueJobs',
      everyMs: POLL_INTERVAL_MS,
      async run() {
        try {
          const due = await findDueJobs(database, clock.now(), sources)
          for (const each of runs) each.found(due.has(each.name))
        } catch (error) {
          // If the check fails, each job looks for its own work, so that one faulty condition does not stop all jobs.
          for (const each of runs) each.found(true)
          throw error
        }
      },
    },
    0,
    failures,
  )
  // Stops the check first, because a check in progress may still start jobs.
  const stop = async () => {
    await polling.stop()
    await Promise.all(runs.map((each) => each.stop()))
  }
  return [polling, ...runs].map((each) => ({ ...each, stop }))
}

function createDueRun({ name, run }: DueJob, failures: FailureLog): JobLoop & { found(isDue: boolean): void } {
  let running: Promise<void> | null = null
  let dueMs = performance.now() + POLL_INTERVAL_MS
  const succeed = () => {
    failures.succeeded(name)
    dueMs = performance.now() + POLL_INTERVAL_MS
  }
  return {
    name,
    lagSeconds: () => Math.max(0, performance.now() - dueMs) / 1000,
    found(isDue) {
      if (running !== null) return
      if (!isDue) {
        succeed()
        return
      }
      running = run()
        .then(succeed, (error: unknown) => failures.failed(name, error))
        .finally(() => {
          running = null
        })
    },
    async stop() {
      await running
    },
  }
}

/**
 * Returns a job that converts rows that an upgrade left unconverted. Each run reads the whole table, so the job does
 * nothing after the first run that found nothing to change.
 */
function untilNothingIsLeft(change: () => Promise<number>): () => Promise<void> {
  let isDone = false
  return async () => {
    if (!isDone) isDone = (await change()) === 0
  }
}

// Runs a job repeatedly with a pause after each run, so that runs of a slow job never overlap.
function startLoop({ name, everyMs, run }: TimedJob, firstAfterMs: number, failures: FailureLog): JobLoop {
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
