import type { Logger } from 'pino'
import { forgetOldUsage } from './domain/administration/usage/retention.ts'
import { removeLooseFiles, storeArrivals } from './domain/attachments/tidy.ts'
import { closeDueBidRequests } from './domain/bidding/bid-requests/close-due.ts'
import { expireBids } from './domain/bidding/bids/expire-due.ts'
import { expireContracts } from './domain/bidding/contracts/expire-due.ts'
import { tellDueTasks } from './domain/building/tasks/tell-due.ts'
import { checkLedgers } from './domain/ledger/check-ledgers.ts'
import { tellDisabled } from './domain/messages/tell-disabled-webhooks.ts'
import { forgetOldMails } from './domain/office/mail/retention.ts'
import { startMailing } from './domain/office/mail/send-due.ts'
import { closeUnpaidOrders } from './domain/paying/purchase-orders/close-unpaid.ts'
import { advanceCompliance } from './domain/vendors/compliance-documents/advance.ts'
import { forgetOldAnswers } from './interfaces/http/idempotency-records.ts'
import { forgetUnusedApps } from './interfaces/oauth/retention.ts'
import { expireProposals } from './interfaces/proposals/expire-due.ts'
import { forgetOldProposals } from './interfaces/proposals/retention.ts'
import { startTending } from './operators/demo/tend-sandboxes.ts'
import { startForgetting } from './operators/retention/forget-aged.ts'
import { forgetOldAuditEntries } from './platform/audit/retention.ts'
import type { Surroundings } from './platform/calls/call.ts'
import type { Config, GivenConfig } from './platform/config/config.ts'
import type { Database, Db } from './platform/database/database.ts'
import { forgetEndedWindows } from './platform/database/limit-windows.ts'
import { keepUp, learnGrown } from './platform/database/upkeep.ts'
import { followEncryptionKey } from './platform/encryption/encryption-key.ts'
import { writeHeldExecutions } from './platform/executions/behind.ts'
import { forgetOldExecutions } from './platform/executions/retention.ts'
import { forgetEndedSessions } from './platform/keys/identity-retention.ts'
import type { MailOutcome } from './platform/monitoring/metrics.ts'
import type { FailureLog } from './platform/problems/failure-log.ts'
import type { Clock } from './platform/runtime/clock.ts'
import { indexChanges } from './platform/search/index-changes.ts'
import type { AttemptMade } from './platform/webhooks/deliverer.ts'
import { type Delivery, startDelivery } from './platform/webhooks/delivery.ts'
import { disableOrphans } from './platform/webhooks/disable-orphans.ts'
import { forgetOldDeliveries } from './platform/webhooks/retention.ts'
import type { Disabled } from './platform/webhooks/settlement.ts'

export interface JobParts {
  database: Database
  config: Config
  /** The configuration from the environment. The deployment's settings may override parts of it later. */
  given: GivenConfig
  clock: Clock
  log: Logger
  failures: FailureLog
  surroundings: Surroundings
  /** Called for every delivery attempt. */
  attemptMade?(attempt: AttemptMade): void
  /** Called for every attempt to send a mail. */
  mailAttempted?(outcome: MailOutcome): void
}

export interface Jobs {
  /** Call this after committing something that a job processes. */
  wake(): void
  readonly delivery: Delivery
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
  const { database, config, given, clock, log, failures, surroundings } = parts
  const tellOwners = (trx: Db, disabled: Disabled[]) => tellDisabled(trx, surroundings, disabled)
  const jobs: Job[] = [
    { name: 'forgetOldAnswers', everyMs: HOUR_MS, run: () => forgetOldAnswers(database, clock) },
    {
      name: 'forgetOldDeliveries',
      everyMs: HOUR_MS,
      run: () => forgetOldDeliveries(database, clock, config.deliveryRetentionDays),
    },
    {
      name: 'forgetOldMails',
      everyMs: HOUR_MS,
      run: () => forgetOldMails(database, clock, config.deliveryRetentionDays),
    },
    { name: 'forgetEndedSessions', everyMs: HOUR_MS, run: () => forgetEndedSessions(database, clock) },
    { name: 'forgetUnusedApps', everyMs: HOUR_MS, run: () => forgetUnusedApps(database, clock) },
    { name: 'forgetEndedWindows', everyMs: HOUR_MS, run: () => forgetEndedWindows(database, clock) },
    { name: 'forgetOldUsage', everyMs: HOUR_MS, run: () => forgetOldUsage(database, clock) },
    { name: 'forgetOldAuditEntries', everyMs: HOUR_MS, run: () => forgetOldAuditEntries(database, clock, config) },
    { name: 'forgetOldProposals', everyMs: HOUR_MS, run: () => forgetOldProposals(database, clock, config) },
    { name: 'forgetOldExecutions', everyMs: HOUR_MS, run: () => forgetOldExecutions(database, clock, config) },
    { name: 'writeHeldExecutions', everyMs: 3000, run: () => writeHeldExecutions(surroundings) },
    { name: 'closeDueBidRequests', everyMs: 1000, run: () => closeDueBidRequests(surroundings) },
    { name: 'expireBids', everyMs: 1000, run: () => expireBids(surroundings) },
    { name: 'expireProposals', everyMs: MINUTE_MS, run: () => expireProposals(surroundings) },
    { name: 'expireContracts', everyMs: 1000, run: () => expireContracts(surroundings) },
    { name: 'closeUnpaidOrders', everyMs: 1000, run: () => closeUnpaidOrders(surroundings) },
    { name: 'tellDueTasks', everyMs: 1000, run: () => tellDueTasks(surroundings) },
    { name: 'checkLedgers', everyMs: MINUTE_MS, run: () => checkLedgers(surroundings) },
    { name: 'storeArrivals', everyMs: 1000, run: () => storeArrivals(surroundings) },
    { name: 'removeLooseFiles', everyMs: MINUTE_MS, run: () => removeLooseFiles(surroundings) },
    { name: 'disableOrphans', everyMs: 1000, run: () => disableOrphans(surroundings, tellOwners) },
    { name: 'indexChanges', everyMs: 1000, run: () => indexChanges(database) },
    { name: 'advanceCompliance', everyMs: 1000, run: () => advanceCompliance(surroundings) },
    { name: 'learnGrown', everyMs: 5000, run: () => learnGrown(database) },
  ]
  const mailing = startMailing(parts)
  const tending = startTending(surroundings, log)
  jobs.push({ name: 'tendSandboxes', everyMs: 1000, run: tending.run })
  const forgetting = startForgetting(surroundings, config)
  jobs.push({ name: 'forgetAged', everyMs: HOUR_MS, run: forgetting.run })
  if (mailing !== null) jobs.push({ name: 'sendMails', everyMs: 1000, run: mailing.run })
  if (database.embedded) jobs.push({ name: 'keepUp', everyMs: MINUTE_MS, run: () => keepUp(database) })
  else {
    const run = () => followEncryptionKey(database, given, config)
    jobs.push({ name: 'followEncryptionKey', everyMs: 1000, run })
  }
  const loops = jobs.map((job, i) =>
    loop(job, i * APART_MS + (job.everyMs === HOUR_MS ? HOURLY_AFTER_MS : 0), failures),
  )
  const delivery = startDelivery({
    ...{ database, config, clock, log, failures, contract: surroundings.contract },
    tellDisabled: tellOwners,
    eventsDispatched: () => surroundings.eventWaits.dispatched(),
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
const APART_MS = 20
/** Hourly jobs start later, so that they do not compete with requests that waited for the start. */
const HOURLY_AFTER_MS = 5000

interface Loop {
  name: string
  lagSeconds(): number
  stop(): Promise<void>
}

// Runs a job repeatedly with a pause in between, so that a slow job never overlaps itself.
function loop({ name, everyMs, run }: Job, firstAfterMs: number, failures: FailureLog): Loop {
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
