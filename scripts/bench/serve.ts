/**
 * The service with its contract mounted COPIES times: each further copy has the same operations under other paths and
 * names. Nothing else differs, so any extra cost is the cost of a larger contract.
 */
import { pino } from 'pino'
import { readConfig } from '../../server/config.ts'
import { type ContractDocument, loadContract, readContract } from '../../server/http/contract.ts'
import type { Handlers } from '../../server/http/operation.ts'
import { operations } from '../../server/operations.ts'
import { startPlumbline } from '../../server/plumbline.ts'

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const

function multiplied(document: ContractDocument, copies: number): ContractDocument {
  const paths = { ...document.paths }
  for (let copy = 2; copy <= copies; copy++) {
    for (const [path, item] of Object.entries(document.paths)) {
      const renamed = { ...item }
      for (const method of METHODS) {
        const operation = item[method]
        if (operation !== undefined)
          renamed[method] = { ...operation, operationId: `${operation.operationId}Copy${copy}` }
      }
      paths[path.replace(/^(\/api\/\w+)\//, `$1/copy-${copy}-`)] = renamed
    }
  }
  return { ...document, paths }
}

const config = readConfig(process.env)
const log = pino({ level: config.logLevel })
const copies = Number(process.env.COPIES ?? 1)
const contract = copies === 1 ? loadContract() : readContract(multiplied(loadContract().document, copies))
const handlers = new Proxy(operations, {
  get: (target, id) => target[String(id).replace(/Copy\d+$/, '') as keyof Handlers],
})
const plumbline = await startPlumbline({ config, log, contract, handlers })
process.once('SIGTERM', () => {
  plumbline.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
