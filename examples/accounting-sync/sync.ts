import { orThrow, type PlumblineClient, PlumblineError, type Reconciled } from '../../client/index.ts'
import { type Ledger, Refusal } from './ledger.ts'

/**
 * Synchronizes a ledger and Plumbline in both directions. The program can be killed at any point and started again:
 * repeating a step has no further effect on either side, and a step is recorded as done only afterward.
 */
export async function sync(client: PlumblineClient, ledger: Ledger, today: string): Promise<Done> {
  const told = await tellOfChecks(client, ledger, today)
  return { told, ...(await enterWhatIsNew(client, ledger)) }
}

export interface Done {
  entered: number
  failed: number
  told: number
}

/** Copies data from Plumbline to the ledger: enters each new or changed record and acknowledges it. */
async function enterWhatIsNew(client: PlumblineClient, ledger: Ledger): Promise<Omit<Done, 'told'>> {
  let entered = 0
  let failed = 0
  for (let hasMore = true; hasMore; ) {
    const after = ledger.progress()
    const query = { limit: 200, ...(after !== null && { after }) }
    const queue = await orThrow(client.GET('/api/ext/accounting/queue', { params: { query } }))
    const rows = queue.items.map(({ type, id, label, amount, version }) => {
      try {
        return { id, version, accountingId: ledger.enter({ type, plumblineId: id, name: label, amount, version }) }
      } catch (error) {
        if (error instanceof Refusal) return { id, version, error: error.message }
        throw error
      }
    })
    if (rows.length > 0) {
      const done = await orThrow(client.POST('/api/ext/accounting/acknowledgements', { body: { rows } }))
      entered += done.acknowledged + done.stale
      failed += done.errorsRecorded + done.refused
      for (const { id, problem } of done.rows) if (problem !== null) console.error(`${id}: ${problem.detail}`)
    }
    // Stores the position last. After a crash before this line, the same items are read again and match their existing
    // entries.
    ledger.keepProgress(queue.resumeAfter)
    hasMore = queue.hasMore
  }
  return { entered, failed }
}

/** Copies data from the ledger to Plumbline: for each printed check, marks the payment as paid. */
async function tellOfChecks(client: PlumblineClient, ledger: Ledger, today: string): Promise<number> {
  let told = 0
  for (const { number, plumblineId: paymentId, printedOn: paidDate } of ledger.untold()) {
    // Uses the same key in every attempt, so that a repeat gets the response to the first request.
    const header = { 'Idempotency-Key': `check-${number}-${paymentId}` }
    const body = { status: 'paid', method: 'check', checkNumber: String(number), paidDate } as const
    const params = { path: { paymentId }, header }
    const { error, response } = await client.POST('/api/ext/payments/{paymentId}/status', { params, body })
    // The check was reported long ago, and the key has expired since.
    const isPaid = error?.code === 'invalid_transition' && error.from === 'paid'
    if (error !== undefined && !isPaid) throw new PlumblineError(response, error)
    ledger.told(number, today)
    told++
  }
  return told
}

const COMPARED = ['vendor', 'community', 'home', 'po', 'payment'] as const

/** Returns the differences between the ledger and Plumbline, by kind of record. */
export async function reconcile(client: PlumblineClient, ledger: Ledger): Promise<Reconciled[]> {
  const compared: Reconciled[] = []
  for (const type of COMPARED) {
    // A ledger with more than 5,000 entries of a kind would compare them in parts, with afterAccountingId and
    // throughAccountingId.
    const rows = ledger.entries(type).map(({ amount, ...row }) => ({ ...row, ...(amount !== null && { amount }) }))
    compared.push(await orThrow(client.POST('/api/ext/accounting/reconciliation', { body: { type, rows } })))
  }
  return compared
}
