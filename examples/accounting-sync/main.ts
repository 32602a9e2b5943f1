import { createClient, orThrow } from '../../client/index.ts'
import { openLedger } from './ledger.ts'
import { reconcile, sync } from './sync.ts'

/**
 * PLUMBLINE_KEY=plb_… npx node examples/accounting-sync/main.ts sync
 *     … main.ts print-checks     prints checks for all bills without one, as a bookkeeper would
 *     … main.ts reconcile        lists the differences; exits with 1 if there are any
 *
 * LEDGER is the file of the ledger (default: ledger.sqlite); PLUMBLINE_URL is the URL of the service.
 */
const {
  PLUMBLINE_URL: baseUrl = 'http://localhost:3000',
  PLUMBLINE_KEY: key = '',
  LEDGER: file = 'ledger.sqlite',
} = process.env
const client = createClient({ baseUrl, key })
const ledger = openLedger(file)
const today = new Date().toISOString().slice(0, 10)

const verbs: Record<string, () => Promise<void>> = {
  async sync() {
    const { entered, failed, told } = await sync(client, ledger, today)
    console.log(`Entered ${entered}, could not enter ${failed}, told of ${told} checks.`)
  },
  async 'print-checks'() {
    // The builder's current date, which may differ from the local date. A payment cannot be marked as paid with a
    // future date.
    const { organization } = await orThrow(client.GET('/api/ext/me'))
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: organization.timeZone }).format(new Date())
    console.log(`Printed ${ledger.printChecks(1000, day)} checks.`)
  },
  async reconcile() {
    for (const { type, matched, differing, missingHere, missingThere, missingThereCount } of await reconcile(
      client,
      ledger,
    )) {
      console.log(`${type}: ${matched} agree`)
      for (const { accountingId, field, here, there } of differing)
        console.log(`  ${accountingId}: ${field} is ${here} in Plumbline and ${there} here`)
      for (const id of missingHere) console.log(`  ${id} is not in Plumbline`)
      for (const { accountingId, label } of missingThere) console.log(`  ${accountingId}, ${label}, is not here`)
      if (differing.length + missingHere.length + missingThereCount > 0) process.exitCode = 1
    }
  },
}

const verb = verbs[process.argv[2] ?? 'sync']
if (verb === undefined) {
  console.error(`Say one of ${Object.keys(verbs).join(', ')}.`)
  process.exitCode = 2
} else await verb()
ledger.close()
