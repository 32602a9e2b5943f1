import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { bundleContract } from '../contract/bundle.ts'
import {
  type Contract,
  type ContractDocument,
  hashContractSource,
  readContract,
} from '../server/platform/calls/contract.ts'

/**
 * Returns the current contract. Reading the document that `npm run generate` wrote is faster, so that document is used
 * if its hash still matches.
 */
export function readCurrentContract(): Contract {
  // In the published package, the contract is next to this file.
  const beside = path.join(import.meta.dirname, 'contract.gen.json')
  if (existsSync(beside)) return readContract(readDocument(beside).document)
  const prepared = path.resolve(import.meta.dirname, '../server/contract.gen.json')
  if (existsSync(prepared)) {
    const created = readDocument(prepared)
    if (created.sourceHash === hashContractSource()) return readContract(created.document)
  }
  return readContract(bundleContract())
}

function readDocument(file: string): { sourceHash: string; document: ContractDocument } {
  return JSON.parse(readFileSync(file, 'utf8')) as { sourceHash: string; document: ContractDocument }
}
