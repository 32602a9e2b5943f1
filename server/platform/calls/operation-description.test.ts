import { expect, test } from 'vitest'
import { renderEventsPage } from '../../interfaces/docs/events-page.ts'
import { publishCompleteContract } from '../../interfaces/service/published-contract.ts'
import { getSkillCatalog } from '../../interfaces/skills/skill-catalog.ts'
import { EFFECTS } from '../../interfaces/skills/skill-effect.ts'
import { toToolDefinition } from '../../interfaces/skills/tool-definitions.ts'
import { loadContract, readContract } from './contract.ts'
import { describeOperation } from './operation-description.ts'

test("permissions and events are appended to an operation's description unless the description mentions them", () => {
  const facts = {
    permissions: ['vendors:write', 'bids:read'],
    emits: ['vendor.created', 'vendor.updated'],
    writes: true,
  }
  expect(describeOperation({ ...facts, description: 'Adds a vendor.' })).toBe(
    'Adds a vendor. Needs vendors:write and bids:read; emits vendor.created, vendor.updated.',
  )
  const said = 'Adds. Needs vendors:write and bids:read; emits vendor.created and vendor.updated.'
  expect(describeOperation({ ...facts, description: said })).toBe(said)
  expect(describeOperation({ ...facts, description: 'Adds. Needs vendors:write and bids:read.' })).toBe(
    'Adds. Needs vendors:write and bids:read. Emits vendor.created, vendor.updated.',
  )
})

test("an operation's description states whether the operation changes nothing, emits nothing, or needs no permission", () => {
  const facts = { description: 'Done.', permissions: ['vendors:read'], emits: [], writes: false }
  expect(describeOperation(facts)).toBe('Done. Needs vendors:read; changes nothing.')
  expect(describeOperation({ ...facts, writes: true })).toBe('Done. Needs vendors:read; emits nothing.')
  expect(describeOperation({ ...facts, permissions: [] })).toBe('Done. Needs no permission; changes nothing.')
  expect(describeOperation({ description: 'Done.', permissions: ['vendors:read'], writes: true })).toBe(
    'Done. Needs vendors:read.',
  )
})

test('docs, the published contract, and tools use the same description of an operation', () => {
  const document = structuredClone(loadContract().document)
  const createVendor = document.paths['/api/ext/vendors']?.post
  Object.assign(createVendor ?? {}, { description: 'Adds a vendor.', 'x-emits': ['vendor.created'] })
  const contract = readContract(document)
  const whole = 'Adds a vendor. Needs vendors:write; emits vendor.created.'
  // Definitions of tools have no other field for the effect.
  expect(toToolDefinition(getSkillCatalog(contract).find('createVendor')).description).toBe(
    `${whole} ${EFFECTS.adds.said}`,
  )
  expect(JSON.stringify(publishCompleteContract(document, 'http://localhost'))).toContain(whole)
  const site = { title: '', version: '', url: '', docs: '/docs' }
  expect(renderEventsPage(site, contract).content.source).toContain(
    '<li><a href="/docs/operations/createVendor"><code>createVendor</code></a></li>',
  )
})
