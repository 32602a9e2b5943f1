import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../contract/bundle.ts'
import { document, root, wholeContract } from '../../scripts/conformance/contract.ts'

/** A small contract in several files, and the document made of it; each test changes some of the files. */
const ROOMS = {
  'openapi.yaml': `
openapi: 3.1.0
paths:
  /trees: { $ref: contract/trees.yaml#/paths/trees }
  /birds: { $ref: contract/birds.yaml#/paths/birds }
components:
  securitySchemes: { apiKey: { type: http, scheme: bearer } }
`,
  'contract/common.yaml': `
page: { type: object, required: [data], properties: { data: { type: array, maxItems: 200 } } }
schemas:
  Name: { type: string }
`,
  'contract/birds.yaml': `
paths:
  birds: { get: { operationId: listBirds } }
schemas:
  Bird: { type: object, properties: { tree: { $ref: trees.yaml#/schemas/Tree } } }
examples:
  Bird: { summary: A robin, value: { id: 1, nest: { eggs: 3, height: 2 }, songs: [dawn, dusk] } }
`,
  'contract/trees.yaml': `
paths:
  trees: { get: { operationId: listTrees } }
schemas:
  Tree: { type: object, properties: { name: { $ref: common.yaml#/schemas/Name, description: Its name. } } }
  TreePage: { $ref: common.yaml#/page, properties: { data: { items: { $ref: '#/schemas/Tree' } } } }
examples:
  Nested:
    summary: With a bird
    value:
      bird: { $ref: birds.yaml#/examples/Bird/value, nest: { eggs: 4 }, songs: [noon] }
`,
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'plumbline-bundle-'))
  mkdirSync(path.join(folder, 'contract'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function bundled(changed: Record<string, string> = {}) {
  const files = { ...ROOMS, ...changed }
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text.trimStart())
  try {
    return bundle(folder)
  } finally {
    for (const file of Object.keys(files)) rmSync(path.join(folder, file))
  }
}

test('shared parts come first, then file by file in the order of the paths', () => {
  const { document } = bundled()
  expect(Object.keys(document.paths)).toEqual(['/trees', '/birds'])
  expect(Object.keys(document.components)).toEqual(['securitySchemes', 'schemas', 'examples'])
  expect(Object.keys(document.components.schemas ?? {})).toEqual(['Name', 'Tree', 'TreePage', 'Bird'])
})

test('a reference to a component stays one, whatever file it is in, with its siblings', () => {
  const { Bird, Tree } = bundled().document.components.schemas ?? {}
  expect(Bird).toMatchObject({ properties: { tree: { $ref: '#/components/schemas/Tree' } } })
  expect(Tree).toMatchObject({
    properties: { name: { $ref: '#/components/schemas/Name', description: 'Its name.' } },
  })
})

test('any other is replaced by its target, and its siblings win: maps merge by key, everything else as a whole', () => {
  const { schemas, examples } = bundled().document.components
  expect(schemas?.TreePage).toEqual({
    type: 'object',
    required: ['data'],
    properties: { data: { type: 'array', maxItems: 200, items: { $ref: '#/components/schemas/Tree' } } },
  })
  expect(examples?.Nested).toEqual({
    summary: 'With a bird',
    value: { bird: { id: 1, nest: { eggs: 4, height: 2 }, songs: ['noon'] } },
  })
  expect(examples?.Bird).toMatchObject({ value: { nest: { eggs: 3 }, songs: ['dawn', 'dusk'] } })
})

test('a map that is itself a reference replaces what was there', () => {
  const birds = ROOMS['contract/birds.yaml'].concat(
    '  Guest: { value: { $ref: "#/examples/Bird/value", nest: { $ref: "#/cave" } } }\ncave: { depth: 5 }\n',
  )
  const { examples } = bundled({ 'contract/birds.yaml': birds }).document.components
  expect(examples?.Guest).toEqual({ value: { id: 1, nest: { depth: 5 }, songs: ['dawn', 'dusk'] } })
})

test.each([
  [
    'a name in two rooms',
    { 'contract/common.yaml': `${ROOMS['contract/common.yaml']}  Bird: { type: string }\n` },
    'contract/birds.yaml:4: contract/common.yaml has one of the schemas called Bird already.',
  ],
  [
    'a reference that leads nowhere',
    { 'contract/birds.yaml': ROOMS['contract/birds.yaml'].replace('schemas/Tree', 'schemas/Oak') },
    'contract/birds.yaml:4: trees.yaml#/schemas/Oak leads nowhere.',
  ],
  [
    'a part that is put into itself',
    {
      'contract/common.yaml': `${ROOMS['contract/common.yaml']}`.replace('maxItems: 200', "items: { $ref: '#/page' }"),
    },
    'contract/common.yaml:1: #/page leads back to itself.',
  ],
  [
    'a path that the index has not',
    { 'contract/birds.yaml': ROOMS['contract/birds.yaml'].replace('paths:', 'paths:\n  nests: {}') },
    'contract/birds.yaml:2: openapi.yaml does not lead to nests.',
  ],
  ['a room that is no YAML', { 'contract/birds.yaml': 'paths: [' }, 'contract/birds.yaml: '],
])('%s is refused', (_what, changed, message) => {
  expect(() => bundled(changed)).toThrow(message)
})

test('a fault is reported with the file and the line in which it was written', () => {
  const { lineOf } = bundled()
  const nested = ['components', 'examples', 'Nested', 'value', 'bird']
  expect(lineOf([...nested, 'nest', 'eggs'])).toEqual({ file: 'contract/trees.yaml', line: 10 })
  expect(lineOf([...nested, 'nest', 'height'])).toEqual({ file: 'contract/birds.yaml', line: 6 })
  expect(lineOf(['components', 'schemas', 'Bird'])).toEqual({ file: 'contract/birds.yaml', line: 4 })
  expect(lineOf(['paths', '/birds'])).toEqual({ file: 'openapi.yaml', line: 4 })
})

test('every operation is found by its line, and prepared as written', () => {
  const { document: present, lineOf } = bundle()
  expect(present).toEqual(document)
  for (const { id, path: address, method } of wholeContract.operations.values()) {
    const { file, line } = lineOf(['paths', address, method.toLowerCase(), 'operationId'])
    expect(readFileSync(path.join(root, file), 'utf8').split('\n')[line - 1]?.trim()).toBe(`operationId: ${id}`)
  }
})

test('a schema with `required: all` names every property of its own, and so does one inside it', () => {
  const { document } = bundled({
    'contract/birds.yaml': ROOMS['contract/birds.yaml'].replace(
      'Bird: { type: object, properties: {',
      `Nest:
    type: object
    required: all
    properties:
      eggs: { type: integer }
      site: { type: object, required: all, properties: { required: { type: boolean }, height: { type: integer } } }
  Bird: { type: object, properties: {`,
    ),
  })
  expect(document.components.schemas?.Nest).toMatchObject({
    required: ['eggs', 'site'],
    properties: { site: { required: ['required', 'height'], properties: { required: { type: 'boolean' } } } },
  })
})

test('what the ids of a record lead to becomes optional fields of it, and the paths that reading it takes', () => {
  const taken = '[{ name: expand, in: query, schema: { type: array, items: { type: string } } }]'
  const answer = '{ content: { application/json: { schema: { $ref: "#/schemas/Bird" } } } }'
  const rooms = {
    'openapi.yaml': `${ROOMS['openapi.yaml']}x-expands: { Bird: { tree: Tree, mate: Mate }, Mate: { nest: Tree } }\n`,
    'contract/birds.yaml': `
paths:
  birds: { get: { operationId: getBird, parameters: ${taken}, responses: { '200': ${answer} } } }
schemas:
  Bird:
    type: object
    required: all
    properties: { treeId: { type: string }, mateId: { $ref: '#/schemas/MateId' } }
  MateId: { type: [string, 'null'] }
  Mate: { type: object, required: all, properties: { nestId: { type: string } } }
examples:
  Bird: { summary: A robin, value: { nest: {} } }
`,
  }
  const { document } = bundled(rooms)
  expect(document.components.schemas?.Bird).toMatchObject({
    required: ['treeId', 'mateId'],
    properties: {
      tree: { $ref: '#/components/schemas/Tree' },
      mate: { anyOf: [{ $ref: '#/components/schemas/Mate' }, { type: 'null' }] },
    },
  })
  expect(document.paths['/birds']?.get?.parameters).toMatchObject([
    { schema: { items: { enum: ['tree', 'mate', 'mate.nest'] } } },
  ])
  const without = (text: string) => () =>
    bundled({ ...rooms, 'contract/birds.yaml': rooms['contract/birds.yaml'].replace(text, '') })
  expect(without(`parameters: ${taken}, `)).toThrow('openapi.yaml:4: getBird takes expand if, and only if')
  expect(without('treeId: { type: string }, ')).toThrow('openapi.yaml:7: x-expands leads nowhere: there is no treeId')
})

test('the input of a change is that of the creation, minus what only a creation has', () => {
  const { document } = bundled({
    'contract/birds.yaml': ROOMS['contract/birds.yaml'].replace(
      'Bird: { type: object, properties: {',
      `BirdCreate:
    type: object
    required: [kind]
    properties:
      kind: { type: string, description: Which one. }
      songs: { type: array, maxItems: 9, default: [] }
      ringed: { type: boolean }
  BirdUpdate:
    patchOf: BirdCreate
    without: [kind]
    description: What changes.
    properties: { ringed: { type: boolean, const: true } }
  Bird: { type: object, properties: {`,
    ),
  })
  expect(document.components.schemas?.BirdUpdate).toEqual({
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    description: 'What changes.',
    properties: { songs: { type: 'array', maxItems: 9 }, ringed: { type: 'boolean', const: true } },
  })
})

test('the values of a text are written with what each means, and described by that', () => {
  const room = ROOMS['contract/birds.yaml'].replace(
    '  Bird: {',
    `  Song: { type: string, description: Why it sings., meanings: { mine: this is its tree, alarm: there is a cat } }
  Bird: {`,
  )
  expect(bundled({ 'contract/birds.yaml': room }).document.components.schemas?.Song).toEqual({
    type: 'string',
    description: 'Why it sings. `mine`: this is its tree; `alarm`: there is a cat.',
    enum: ['mine', 'alarm'],
    'x-enumDescriptions': { mine: 'this is its tree', alarm: 'there is a cat' },
  })
})

test('a change that names a creation which does not exist is a fault of the file', () => {
  const room = ROOMS['contract/birds.yaml'].replace('  Bird: {', '  BirdUpdate: { patchOf: BirdCreate }\n  Bird: {')
  expect(() => bundled({ 'contract/birds.yaml': room })).toThrow('contract/birds.yaml:4: BirdCreate is no input')
})
