import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { type Contract, type ContractDocument, readContract } from '../server/http/contract.ts'

/** openapi.yaml as it is now. What `npm run generate` has made of it reads faster, and is the same while its hash says so. */
export function contractNow(): Contract {
  const root = path.resolve(import.meta.dirname, '..')
  const source = readFileSync(path.join(root, 'openapi.yaml'), 'utf8')
  const prepared = path.join(root, 'server/contract.gen.json')
  if (existsSync(prepared)) {
    const { sourceHash, document } = JSON.parse(readFileSync(prepared, 'utf8')) as {
      sourceHash: string
      document: ContractDocument
    }
    if (sourceHash === createHash('sha256').update(source).digest('hex')) return readContract(document)
  }
  return readContract(parse(source, { maxAliasCount: -1 }) as ContractDocument)
}
