import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'

interface Component {
  'bom-ref': string
  name: string
  version: string
  purl: string
  licenses?: unknown[]
}

interface BillOfMaterials {
  $schema: string
  bomFormat: string
  specVersion: string
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))

describe('the bill of materials', () => {
  let bill: BillOfMaterials
  beforeAll(() => {
    bill = JSON.parse(execFileSync(process.execPath, [path.join(root, 'scripts/sbom.ts')], { encoding: 'utf8' }))
  })

  test('the bill of materials describes this package in the CycloneDX format', () => {
    expect(bill.bomFormat).toBe('CycloneDX')
    expect(bill.$schema).toBe(`http://cyclonedx.org/schema/bom-${bill.specVersion}.schema.json`)
    expect(bill.metadata.component).toMatchObject({ name: manifest.name, version: manifest.version })
  })

  test('the bill of materials lists every dependency of the service but no development tools', () => {
    const found = new Set(bill.components.map(({ name, version }) => `${name} ${version}`))
    const names = new Set(bill.components.map(({ name }) => name))
    const direct = Object.keys(manifest.dependencies)
    const missing = direct.filter((name) => !found.has(`${name} ${lock.packages[`node_modules/${name}`].version}`))
    expect(missing).toEqual([])
    // Indirect dependencies.
    for (const name of ['pg-protocol', 'path-to-regexp', 'proxy-addr']) expect(names).toContain(name)
    const tools = Object.keys(manifest.devDependencies).filter((name) => lock.packages[`node_modules/${name}`].dev)
    // Does not check vitest. better-auth may use it, so npm installs it if both are in the lock file.
    expect(tools).toContain('@biomejs/biome')
    expect(tools.filter((name) => names.has(name))).toEqual([])
  })

  test('the bill of materials lists each package once', () => {
    const refs = bill.components.map((component) => component['bom-ref'])
    expect(new Set(refs).size).toBe(refs.length)
    const known = new Set([...refs, bill.metadata.component['bom-ref']])
    const unknown = bill.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !known.has(ref))
    expect(unknown).toEqual([])
    for (const { name, purl } of bill.components)
      expect([name, purl]).toEqual([name, expect.stringMatching(/^pkg:npm\//)])
  })
})
