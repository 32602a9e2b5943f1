/**
 * Bundles openapi.yaml and the files in this folder into one document with `redocly bundle`. This document is
 * published. The client, the service, and the mock are generated from it.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ContractDocument, Schema } from '../server/platform/calls/contract.ts'

const repositoryRoot = path.resolve(import.meta.dirname, '..')

/**
 * Returns the bundled contract. For invalid YAML or an invalid `$ref`, throws an error with Redocly's message, which
 * includes the file and the line.
 */
export function bundleContract(root = repositoryRoot): ContractDocument {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-bundle-'))
  const output = path.join(folder, 'openapi.json')
  try {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        path.join(repositoryRoot, 'node_modules/@redocly/cli/bin/cli.js'),
        ...['bundle', path.join(root, 'openapi.yaml'), '--output', output],
        ...['--config', path.join(repositoryRoot, 'redocly.yaml')],
      ],
      { cwd: root, encoding: 'utf8', env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    )
    // Redocly reports an unreadable file at each reference to the file. The first report is enough.
    if (status !== 0) throw new Error(`The contract cannot be bundled.\n${`${stdout}${stderr}`.split('\n[2] ')[0]}`)
    return addDerivedValues(JSON.parse(readFileSync(output, 'utf8')) as ContractDocument)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Adds the values of enumerations that are derived from other parts of the contract, so that no value is listed twice.
 */
function addDerivedValues(document: ContractDocument): ContractDocument {
  const schemas = Object.values((document.components.schemas ?? {}) as Record<string, Schema>)
  const roles = (document['x-roles'] ?? {}) as Record<string, Record<string, { read: string[]; write: string[] }>>
  const kinds = schemas.flatMap(({ 'x-record': record }) =>
    isRecord(record) && record.audited !== false ? [record.auditKind ?? record.kind] : [],
  )
  const permissions = (part: string) =>
    Object.entries(roles[part] ?? {}).flatMap(([entity, { read, write }]) => [
      ...(read.length > 0 ? [`${entity}:read`] : []),
      ...(write.length > 0 ? [`${entity}:write`] : []),
    ])
  const values: Record<string, () => unknown[]> = {
    'kinds of records': () => kinds,
    'types of events': () => Object.keys(document.webhooks ?? {}),
    'permissions of roles': () => permissions('permissions'),
    'administration of roles': () => permissions('administration'),
  }
  for (const schema of schemas) {
    const derive = values[String(schema['x-values'])]
    if (derive !== undefined) schema.enum = derive()
  }
  return document
}

interface RecordDeclaration {
  kind: string
  auditKind?: string
  audited?: false
}

function isRecord(value: unknown): value is RecordDeclaration {
  return typeof value === 'object' && value !== null && 'kind' in value
}
