import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleContract } from '../../contract/bundle.ts'
import { document, root, wholeContract } from '../../scripts/conformance/walked-contract.ts'
import { readContractSource } from '../../scripts/contract-source.ts'

/** A small contract in several files. */
const FILES = {
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Trees and birds, version: 1.0.0 }
paths:
  /trees: { $ref: contract/trees.yaml#/paths/trees }
  /birds: { $ref: contract/birds.yaml#/paths/birds }
x-skills:
  plantTree: { $ref: contract/trees.yaml#/x-skills/plantTree }
`,
  'contract/birds.yaml': `
x-shared:
  errors: &errors
    '404': { description: There is no such bird. }
components:
  schemas:
    Bird: { type: object, properties: { tree: { $ref: trees.yaml#/components/schemas/Tree } } }
  examples:
    Robin:
      summary: A robin
      value: &robin
        id: 1
        name: Robin
    Wren:
      summary: A wren
      value: { <<: *robin, name: Wren }
paths:
  birds:
    get:
      operationId: listBirds
      responses:
        <<: *errors
        '200':
          description: A bird.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Bird' }
              examples:
                robin: { $ref: '#/components/examples/Robin' }
                wren: { $ref: '#/components/examples/Wren' }
`,
  'contract/trees.yaml': `
components:
  schemas:
    Tree: { type: object, properties: { height: { type: number } } }
    PlantTreeInput: { type: object }
paths:
  trees:
    get:
      operationId: listTrees
      responses: { '204': { description: No trees. } }
x-skills:
  plantTree:
    summary: Plant a tree
    input: { $ref: '#/components/schemas/PlantTreeInput' }
`,
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'plumbline-contract-'))
  mkdirSync(path.join(folder, 'contract'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function write(changed: Partial<typeof FILES> = {}): string {
  for (const [file, text] of Object.entries({ ...FILES, ...changed })) {
    writeFileSync(path.join(folder, file), text.trimStart())
  }
  return folder
}

test('the bundled contract contains only components that are used', () => {
  const { components, paths } = bundleContract(write())
  expect(Object.keys(components.schemas ?? {}).sort()).toEqual(['Bird', 'PlantTreeInput', 'Tree'])
  expect(components.schemas?.Bird).toMatchObject({ properties: { tree: { $ref: '#/components/schemas/Tree' } } })
  expect(components.examples?.Wren).toEqual({ summary: 'A wren', value: { id: 1, name: 'Wren' } })
  expect(Object.keys(paths['/birds']?.get?.responses ?? {})).toEqual(['200', '404'])
})

test.each([
  [
    'a broken reference',
    { 'contract/birds.yaml': FILES['contract/birds.yaml'].replace('schemas/Tree', 'schemas/Oak') },
  ],
  ['invalid YAML', { 'contract/birds.yaml': 'paths: [' }],
])('bundling fails for %s, and the error names the file', (_what, changed) => {
  expect(() => bundleContract(write(changed))).toThrow('contract/birds.yaml')
})

test('each part of the bundled contract is traced to its source file and line', () => {
  const { lineOf } = readContractSource(write())
  expect(lineOf(['paths', '/birds'])).toEqual({ file: 'openapi.yaml', line: 5 })
  expect(lineOf(['paths', '/birds', 'get', 'operationId'])).toEqual({ file: 'contract/birds.yaml', line: 19 })
  expect(lineOf(['paths', '/birds', 'get', 'responses', '404'])).toEqual({ file: 'contract/birds.yaml', line: 3 })
  expect(lineOf(['components', 'schemas', 'Bird', 'properties', 'tree', 'properties', 'height'])).toEqual({
    file: 'contract/trees.yaml',
    line: 3,
  })
  expect(lineOf(['components', 'examples', 'Wren', 'value', 'name'])).toEqual({ file: 'contract/birds.yaml', line: 15 })
  expect(lineOf(['components', 'examples', 'Wren', 'value', 'id'])).toEqual({ file: 'contract/birds.yaml', line: 11 })
})

test('a component, path, or skill that nothing refers to is reported', () => {
  const trees = FILES['contract/trees.yaml']
    .replace('    Tree:', '    Leaf: { type: object }\n    Tree:')
    .replace('paths:', 'paths:\n  leaves: {}')
    .replace('x-skills:', 'x-skills:\n  fellTree: {}')
  const root = write({ 'contract/trees.yaml': trees })
  expect(readContractSource(root).findUnpublished(bundleContract(root))).toEqual([
    { file: 'contract/trees.yaml', line: 3, name: 'Leaf' },
    { file: 'contract/trees.yaml', line: 7, name: 'leaves' },
    { file: 'contract/trees.yaml', line: 13, name: 'fellTree' },
  ])
})

test('the generated contract equals the bundled contract', () => {
  expect(bundleContract()).toEqual(document)
  const { lineOf } = readContractSource()
  for (const { id, path: address, method } of wholeContract.operations.values()) {
    const { file, line } = lineOf(['paths', address, method.toLowerCase(), 'operationId'])
    expect(readFileSync(path.join(root, file), 'utf8').split('\n')[line - 1]?.trim()).toBe(`operationId: ${id}`)
  }
})
