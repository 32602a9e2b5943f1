import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../../../scripts/conformance/walked-contract.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { getSkillCatalog } from './skill-catalog.ts'
import { EFFECTS } from './skill-effect.ts'
import { canBeNull } from './skill-schemas.ts'
import { toFunctionDefinition, toToolDefinition } from './tool-definitions.ts'

/** Tests every skill that models can use against the rules that model providers publish for tools. */
type Schema = Record<string, unknown>

const offered = getSkillCatalog(contract).skills.filter(({ isTool }) => isTool)

/**
 * The maximum size of a tool definition, in tokens. With twenty larger tools, a model would have no room for the task.
 */
const MAX_TOKENS = 1500
const tokensOf = (value: unknown) => JSON.stringify(value).length / 4

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

async function getNames(query: string, key = plumbline.key): Promise<string[]> {
  const tools = await plumbline.get(`/api/ext/schema/tools.json?${query}`, { key })
  const functions = await plumbline.get(`/api/ext/schema/functions.json?${query}`, { key })
  const names = tools.body.tools.map(({ name }: { name: string }) => name)
  expect(functions.body.tools.map((each: { function: { name: string } }) => each.function.name)).toEqual(names)
  return names
}

test('no tool definition uses more than 1,500 tokens in either format', () => {
  const large = offered
    .flatMap((skill) =>
      [toToolDefinition(skill), toFunctionDefinition(skill)].map((each) => [skill.name, tokensOf(each)] as const),
    )
    .filter(([, tokens]) => tokens > MAX_TOKENS)
  expect(large).toEqual([])
})

test("the name, description, and schema of every tool definition follow the providers' rules", () => {
  const definitions = offered.map(toToolDefinition)
  expect(new Set(definitions.map(({ name }) => name)).size).toBe(definitions.length)
  for (const { name, description, input_schema } of definitions) {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(description.length, name).toBeGreaterThan(20)
    expect(description.length, name).toBeLessThanOrEqual(1024)
    expect(input_schema, name).toMatchObject({ type: 'object', additionalProperties: false })
    for (const keyword of ['anyOf', 'oneOf', 'allOf', '$ref', '$defs']) expect(input_schema).not.toHaveProperty(keyword)
    // Some providers also restrict the names of properties.
    for (const field of Object.keys(input_schema.properties as object)) expect(field).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/)
  }
})

// The subset of JSON Schema that strict functions support.
const STRICT = new Set([
  ...['type', 'description', 'enum', 'const', 'anyOf', 'properties', 'required', 'additionalProperties', 'items'],
  ...['pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'],
])
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']

interface Sizes {
  properties: number
  enumValues: number
  characters: number
  depth: number
}

function assertStrict(schema: Schema, where: string, sizes: Sizes, depth = 1): void {
  for (const keyword of Object.keys(schema)) expect(STRICT, `${where}: ${keyword}`).toContain(keyword)
  expect(schema.pattern ?? '', where).not.toMatch(/\(\?[=!<]/)
  if (schema.format !== undefined) expect(FORMATS, where).toContain(schema.format)
  if (Array.isArray(schema.enum)) {
    sizes.enumValues += schema.enum.length
    sizes.characters += schema.enum.join('').length
    // An enumeration contains null if and only if the type includes null.
    if (schema.type !== undefined) expect([schema.type].flat().includes('null'), where).toBe(schema.enum.includes(null))
  }
  sizes.depth = Math.max(sizes.depth, depth)
  if (schema.properties !== undefined) {
    const properties = schema.properties as Record<string, Schema>
    expect(schema.additionalProperties, where).toBe(false)
    expect(schema.required, where).toEqual(Object.keys(properties))
    for (const [name, inner] of Object.entries(properties)) {
      sizes.properties++
      sizes.characters += name.length
      assertStrict(inner, `${where}.${name}`, sizes, depth + 1)
    }
  }
  if (schema.items !== undefined) assertStrict(schema.items as Schema, `${where}[]`, sizes, depth + 1)
  for (const inner of (schema.anyOf ?? []) as Schema[]) assertStrict(inner, where, sizes, depth)
}

test('a strict function uses only the features and sizes that strict schemas allow', () => {
  const strict = offered.filter((skill) => toFunctionDefinition(skill).function.strict)
  expect(strict.length / offered.length).toBeGreaterThan(0.8)
  for (const skill of strict) {
    const { name, parameters } = toFunctionDefinition(skill).function
    const sizes: Sizes = { properties: 0, enumValues: 0, characters: 0, depth: 0 }
    assertStrict(parameters, name, sizes)
    expect(sizes.properties, name).toBeLessThanOrEqual(5000)
    expect(sizes.enumValues, name).toBeLessThanOrEqual(1000)
    expect(sizes.characters, name).toBeLessThanOrEqual(120_000)
    expect(sizes.depth, name).toBeLessThanOrEqual(10)
    const { required } = skill.inputSchema
    for (const [field, property] of Object.entries(parameters.properties as Record<string, Schema>))
      if (!required?.includes(field)) expect(canBeNull(property), `${name}.${field}`).toBe(true)
  }
})

test('every tool description states the effect of the tool on existing data', () => {
  for (const skill of offered) {
    const { said } = EFFECTS[skill.effect]
    expect(toToolDefinition(skill).description).toContain(said)
    expect(toFunctionDefinition(skill).function.description).toContain(said)
  }
  expect(toToolDefinition(getSkillCatalog(contract).find('voidPayment')).description).toMatch(
    /Overwrites or removes data\. Safe to repeat\.$/,
  )
})

test('a field marked x-tool: false is not part of the tool definition', () => {
  const skill = getSkillCatalog(contract).find('createPurchaseOrder')
  expect(toToolDefinition(skill).input_schema.properties).not.toHaveProperty('retainageSteps')
})

test("a field marked x-tool: false is part of the skill's input", () => {
  const skill = getSkillCatalog(contract).find('createPurchaseOrder')
  expect(skill.inputSchema.properties).toHaveProperty('retainageSteps')
})

test('the example of an ID field in a tool has the prefix of the record type', () => {
  const { properties } = getSkillCatalog(contract).find('createPurchaseOrder').inputSchema
  expect((properties.vendorId as Schema).examples).toEqual([expect.stringMatching(/^ven_/)])
  expect((properties.homeId as Schema).examples).toEqual([expect.stringMatching(/^hom_/)])
  expect(properties.optionSelectionId).not.toHaveProperty('examples')
  expect((properties.bidId as Schema).type).toEqual(['string', 'null'])
})

test('tool definitions include only skills that the key can use and that an agent needs', async () => {
  const names = await getNames('')
  expect(names).toEqual(offered.map(({ name }) => name))
  for (const none of ['getOpenApiJson', 'getToolDefinitions', 'createBrowserToken', 'listSkills', 'executeSkill'])
    expect(names).not.toContain(none)
  const narrow = await getNames('', await plumbline.newKey(['vendors:read']))
  expect(narrow).toContain('getVendor')
  expect(narrow).not.toContain('createVendor')
  expect(narrow).not.toContain('suggestVendorsForScope')
})

test('tool definitions can be selected by name, by tag, and by whether the skill writes', async () => {
  expect(await getNames('names=getVendor,awardBid')).toEqual(['awardBid', 'getVendor'])
  const writing = await getNames('tag=bids&writes=true')
  expect(writing).toEqual(expect.arrayContaining(['acceptBid', 'awardBid', 'submitBid']))
  expect(writing).not.toContain('listBids')
  expect(await getNames('tag=bids&writes=false')).not.toContain('acceptBid')
})

test('the error for an unknown tool name or tag lists the most similar names', async () => {
  for (const format of ['tools.json', 'functions.json']) {
    const refused = await plumbline.get(`/api/ext/schema/${format}?names=getVendr&tag=bidz`)
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed'])
    expect(refused.body.errors[0]).toMatchObject({ pointer: 'names', message: expect.stringContaining('getVendor') })
    const tag = await plumbline.get(`/api/ext/schema/${format}?tag=bidz`)
    expect(tag.body.errors[0]).toMatchObject({ pointer: 'tag', message: expect.stringContaining('bids') })
  }
})
