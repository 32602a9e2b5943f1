/**
 * Starts the service with COPIES of its contract. Each copy has the same operations under other paths and names.
 * Nothing else differs, so the additional cost is that of a larger contract.
 */
import { pino } from 'pino'
import { operations, repeats } from '../../server/interfaces/operations.ts'
import { loadContract, readContract } from '../../server/platform/calls/contract.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { startPlumbline } from '../../server/plumbline.ts'
import { multiplyContract, shareEntriesWithCopies } from './multiply-contract.ts'

const config = readConfig(process.env)
const log = pino({ level: config.logLevel })
const copies = Number(process.env.COPIES ?? 1)
const contract = copies === 1 ? loadContract() : readContract(multiplyContract(loadContract().document, copies))
const copied = { handlers: shareEntriesWithCopies(operations), repeats: shareEntriesWithCopies(repeats) }
const plumbline = await startPlumbline({ config, log, contract, ...copied })
process.once('SIGTERM', () => {
  plumbline.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
