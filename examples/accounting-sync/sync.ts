import { orThrow, type PlumblineClient, PlumblineError, type Reconciled } from '../../client/index.ts'
import { type Ledger, Refusal } from './ledger.ts'

/**
 * Brings a ledger and Plumbline to the same state, in both directions. It may be killed after any line and started
 * again: what it does to either side is the same when it is done twice, and it remembers that something was done only
 * after it was.
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

/** From Plumbline to the ledger: what it does not know as it is, entry by entry, and each is acknowledged. */
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
    // Only now: whoever is killed before this is given the same items again, and finds its own entries.
    ledger.keepProgress(queue.resumeAfter)
    hasMore = queue.hasMore
  }
  return { entered, failed }
}

/** From the ledger to Plumbline: a check that was printed pays the payment that it was printed for. */
async function tellOfChecks(client: PlumblineClient, ledger: Ledger, today: string): Promise<number> {
  let told = 0
  for (const { number, plumblineId: paymentId, printedOn: paidDate } of ledger.untold()) {
    // The same key each time, so that the second telling of one that was heard is answered as the first.
    const header = { 'Idempotency-Key': `check-${number}-${paymentId}` }
    const body = { status: 'paid', method: 'check', checkNumber: String(number), paidDate } as const
    const params = { path: { paymentId }, header }
    const { error, response } = await client.POST('/api/ext/payments/{paymentId}/status', { params, body })
    // It was heard long ago, and the key is forgotten by now.
    const isPaid = error?.code === 'invalid_transition' && error.from === 'paid'
    if (error !== undefined && !isPaid) throw new PlumblineError(response, error)
    ledger.told(number, today)
    told++
  }
  return told
}

const COMPARED = ['vendor', 'community', 'home', 'po', 'payment'] as const

/** Where the two differ, kind by kind. */
export async function reconcile(client: PlumblineClient, ledger: Ledger): Promise<Reconciled[]> {
  const compared: Reconciled[] = []
  for (const type of COMPARED) {
    // A ledger with more than 5,000 entries of a kind compares them in parts, by afterAccountingId and throughAccountingId.
    const rows = ledger.entries(type).map(({ amount, ...row }) => ({ ...row, ...(amount !== null && { amount }) }))
    compared.push(await orThrow(client.POST('/api/ext/accounting/reconciliation', { body: { type, rows } })))
  }
  return compared
}
