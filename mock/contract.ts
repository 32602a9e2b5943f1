import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { bundleContract } from '../contract/bundle.ts'
import { type Contract, type ContractDocument, readContract, sourceHash } from '../server/platform/calls/contract.ts'

/**
 * Returns the current contract. The document that `npm run generate` wrote is faster to read, and is used if its hash
 * still matches.
 */
export function contractNow(): Contract {
  // The published package has the contract next to it.
  const beside = path.join(import.meta.dirname, 'contract.gen.json')
  if (existsSync(beside)) return readContract(read(beside).document)
  const prepared = path.resolve(import.meta.dirname, '../server/contract.gen.json')
  if (existsSync(prepared)) {
    const made = read(prepared)
    if (made.sourceHash === sourceHash()) return readContract(made.document)
  }
  return readContract(bundleContract())
}

function read(file: string): { sourceHash: string; document: ContractDocument } {
  return JSON.parse(readFileSync(file, 'utf8')) as { sourceHash: string; document: ContractDocument }
}
