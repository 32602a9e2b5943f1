import { expect, test } from 'vitest'
import { eventsPage } from '../../interfaces/docs/events.ts'
import { publishWhole } from '../../interfaces/service/published.ts'
import { catalogueOf } from '../../interfaces/skills/catalogue.ts'
import { EFFECTS } from '../../interfaces/skills/effect.ts'
import { toTool } from '../../interfaces/skills/tools.ts'
import { loadContract, readContract } from './contract.ts'
import { descriptionOf } from './description.ts'

test('permissions and events are appended to the description, unless it mentions them', () => {
  const facts = {
    permissions: ['vendors:write', 'bids:read'],
    emits: ['vendor.created', 'vendor.updated'],
    writes: true,
  }
  expect(descriptionOf({ ...facts, description: 'Adds a vendor.' })).toBe(
    'Adds a vendor. Needs vendors:write and bids:read; emits vendor.created, vendor.updated.',
  )
  const said = 'Adds. Needs vendors:write and bids:read; emits vendor.created and vendor.updated.'
  expect(descriptionOf({ ...facts, description: said })).toBe(said)
  expect(descriptionOf({ ...facts, description: 'Adds. Needs vendors:write and bids:read.' })).toBe(
    'Adds. Needs vendors:write and bids:read. Emits vendor.created, vendor.updated.',
  )
})

test('the description also says if nothing is changed, recorded, or required', () => {
  const facts = { description: 'Done.', permissions: ['vendors:read'], emits: [], writes: false }
  expect(descriptionOf(facts)).toBe('Done. Needs vendors:read; changes nothing.')
  expect(descriptionOf({ ...facts, writes: true })).toBe('Done. Needs vendors:read; emits nothing.')
  expect(descriptionOf({ ...facts, permissions: [] })).toBe('Done. Needs no permission; changes nothing.')
  expect(descriptionOf({ description: 'Done.', permissions: ['vendors:read'], writes: true })).toBe(
    'Done. Needs vendors:read.',
  )
})

test('docs, the published contract, and tools use the declared description', () => {
  const document = structuredClone(loadContract().document)
  const createVendor = document.paths['/api/ext/vendors']?.post
  Object.assign(createVendor ?? {}, { description: 'Adds a vendor.', 'x-emits': ['vendor.created'] })
  const contract = readContract(document)
  const whole = 'Adds a vendor. Needs vendors:write; emits vendor.created.'
  // The tool formats of models have no other field for the effect.
  expect(toTool(catalogueOf(contract).find('createVendor')).description).toBe(`${whole} ${EFFECTS.adds.said}`)
  expect(JSON.stringify(publishWhole(document, 'http://localhost'))).toContain(whole)
  const site = { title: '', version: '', url: '', docs: '/docs' }
  expect(eventsPage(site, contract).content.source).toContain(
    '<li><a href="/docs/operations/createVendor"><code>createVendor</code></a></li>',
  )
})
