import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { bundle } from '../contract/bundle.ts'
import { type Contract, type ContractDocument, readContract, sourceHash } from '../server/http/contract.ts'

/** The contract as it is now. What `npm run generate` has made of it reads faster, and is the same while its hash says so. */
export function contractNow(): Contract {
  const prepared = path.resolve(import.meta.dirname, '../server/contract.gen.json')
  if (existsSync(prepared)) {
    const made = JSON.parse(readFileSync(prepared, 'utf8')) as { sourceHash: string; document: ContractDocument }
    if (made.sourceHash === sourceHash()) return readContract(made.document)
  }
  return readContract(bundle().document)
}
