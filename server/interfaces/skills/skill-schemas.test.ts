import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { SeededRandom } from '../../../scripts/conformance/random.ts'
import { makeValidValue } from '../../../scripts/conformance/values.ts'
import { contract } from '../../../scripts/conformance/walked-contract.ts'
import { FAST_COMPILATION } from '../../platform/problems/formats.ts'
import { getSkillCatalog } from './skill-catalog.ts'

test('the schemas of every skill are valid JSON Schema 2020-12 without custom formats', () => {
  // Only compilation matters here, because it reports the errors in a schema. The speed of the compiled code is
  // irrelevant.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, ...FAST_COMPILATION })
  addFormats.default(ajv)
  const compiled = new Set<string>()
  for (const { name, inputSchema, outputSchema } of getSkillCatalog(contract).skills) {
    for (const schema of [inputSchema, outputSchema]) {
      const text = JSON.stringify(schema)
      if (!compiled.has(text)) expect(() => ajv.compile(schema), name).not.toThrow()
      compiled.add(text)
    }
  }
}, 120_000)

test('random inputs that match the published schema of a skill pass its input check', () => {
  const random = new SeededRandom(20_261_121)
  const sources = { random, url: 'https://hooks.example.com/plumbline', idFor: () => undefined }
  const ajv = new Ajv2020({ strict: false, ...FAST_COMPILATION })
  addFormats.default(ajv, { mode: 'full' })
  for (const skill of getSkillCatalog(contract).skills) {
    // The generator of random values sometimes ignores `minProperties`.
    const isAllowed = ajv.compile(skill.inputSchema)
    for (let taken = 0, created = 0; taken < 20; created++) {
      const input: unknown = JSON.parse(JSON.stringify(makeValidValue(skill.inputSchema, sources)), (_name, value) =>
        typeof value === 'number' ? Math.trunc(value * 100) / 100 : value,
      )
      expect(created, `${skill.name} gets no valid input`).toBeLessThan(500)
      if (!isAllowed(input)) continue
      expect(() => skill.check(input), `${skill.name} ${JSON.stringify(input)}`).not.toThrow()
      taken++
    }
  }
})
