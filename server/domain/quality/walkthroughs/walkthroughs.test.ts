import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
let count = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await create('communities', { name: 'Juniper Ridge', status: 'active' })).id
})
afterAll(() => plumbline.stop())

async function create(path: string, fields: object) {
  const { status, body } = await plumbline.post(`/api/ext/${path}`, fields)
  expect([path, status, body.errors ?? body.detail]).toEqual([path, 201, undefined])
  return body
}

async function begin(kind: string) {
  const home = await create('homes', { communityId, name: `Lot ${++count}` })
  const walkthrough = await create('walkthroughs', { homeId: home.id, kind, date: '2026-11-20' })
  const add = (fields: object = {}) =>
    create('punch-items', {
      ...{ homeId: home.id, walkthroughId: walkthrough.id, description: 'The sink drips.', location: 'Kitchen' },
      ...fields,
    })
  return { home, walkthrough, add }
}

const close = (id: string, body: object = {}) => plumbline.post(`/api/ext/walkthroughs/${id}/close`, body)
const getPdf = (id: string) =>
  fetch(`${plumbline.url}/api/ext/walkthroughs/${id}/pdf`, { headers: { Authorization: `Bearer ${plumbline.key}` } })

test('a final walkthrough can be closed only with the signature of the buyer', async () => {
  const { walkthrough, add } = await begin('final')
  const item = await add()
  expect(await close(walkthrough.id)).toMatchObject({ status: 409, body: { reason: 'signature_required' } })
  expect((await close(walkthrough.id, { signedBy: 'Dana Whitfield' })).status).toBe(422)
  const { body: closed } = await close(walkthrough.id, { signedBy: 'Dana Whitfield', consent: true })
  expect(closed).toMatchObject({ status: 'closed', itemCount: 1, openItemCount: 1 })
  const { text, textSha256, signedBy } = closed.signature
  expect(signedBy).toBe('Dana Whitfield')
  expect(text).toContain('P-1 Kitchen: The sink drips.')
  expect(textSha256).toBe(createHash('sha256').update(text).digest('hex'))
  await plumbline.patch(`/api/ext/punch-items/${item.id}`, { description: 'The faucet drips.' })
  expect((await plumbline.get(`/api/ext/walkthroughs/${walkthrough.id}`)).body.signature.text).toBe(text)
  expect(await close(walkthrough.id)).toMatchObject({ status: 409, body: { reason: 'already_done' } })
})

test('a buyer signs only the version of the list that the buyer read', async () => {
  const { walkthrough, add } = await begin('final')
  const item = await add()
  await add({ description: 'The hinge squeaks.' })
  const readVersion = async () => (await plumbline.get(`/api/ext/walkthroughs/${walkthrough.id}`)).body.version
  const seen = await readVersion()
  const signed = { signedBy: 'Dana Whitfield', consent: true }
  for (const change of [
    () => plumbline.patch(`/api/ext/punch-items/${item.id}`, { description: 'The faucet drips.' }),
    () => plumbline.post(`/api/ext/punch-items/${item.id}/status`, { status: 'cancelled' }),
    () => add({ description: 'A late item.' }),
  ]) {
    const version = await readVersion()
    expect((await change()).status ?? 201).toBeOneOf([200, 201, 'open'])
    expect(await close(walkthrough.id, { ...signed, version })).toMatchObject({ status: 409 })
  }
  // The trade of an item is not in the list.
  const version = await readVersion()
  expect(version).toBe(seen + 3)
  expect((await close(walkthrough.id, { ...signed, version })).status).toBe(200)
})

test('a quality walkthrough can be closed without a signature', async () => {
  const { walkthrough } = await begin('quality')
  expect(await close(walkthrough.id)).toMatchObject({ status: 200, body: { signature: null } })
})

test('no punch item can be added to a closed walkthrough', async () => {
  const { home, walkthrough } = await begin('quality')
  await close(walkthrough.id)
  const item = { homeId: home.id, walkthroughId: walkthrough.id, description: 'Late.' }
  expect(await plumbline.post('/api/ext/punch-items', item)).toMatchObject({
    ...{ status: 409, body: { reason: 'wrong_status' } },
  })
})

test('the PDF of a signed walkthrough does not change when a punch item changes', async () => {
  const { walkthrough, add } = await begin('orientation')
  const item = await add()
  const unsigned = Buffer.from(await (await getPdf(walkthrough.id)).arrayBuffer())
  expect(unsigned.subarray(0, 5).toString()).toBe('%PDF-')
  await close(walkthrough.id, { signedBy: 'Dana Whitfield', consent: true })
  const signed = Buffer.from(await (await getPdf(walkthrough.id)).arrayBuffer())
  expect(signed.equals(unsigned)).toBe(false)
  await plumbline.patch(`/api/ext/punch-items/${item.id}`, { description: 'Something else.' })
  expect(Buffer.from(await (await getPdf(walkthrough.id)).arrayBuffer()).equals(signed)).toBe(true)
})

test('closing a home with punch items that are due before closing requires an override reason', async () => {
  const { home, add } = await begin('final')
  const item = await add({ priority: 'safety' })
  await plumbline.post(`/api/ext/homes/${home.id}/budget/lines`, { scope: 'framing', amount: 42000 })
  await plumbline.post(`/api/ext/homes/${home.id}/budget/lock`)
  const status = (to: string, more: object = {}) =>
    plumbline.post(`/api/ext/homes/${home.id}/status`, { status: to, ...more })
  for (const to of ['permitting', 'ready_to_start', 'under_construction', 'completed'])
    expect([to, (await status(to)).status]).toEqual([to, 200])
  // The home also has no sale, which is the first reason.
  expect(await status('closed')).toMatchObject({ status: 409, body: { reason: 'needs_override' } })
  const keyWithoutPunch = await plumbline.newKey(['homes:write', 'homes:read', 'sales:write'])
  const body = { status: 'closed', overrideReason: 'The buyers agreed.' }
  expect((await plumbline.post(`/api/ext/homes/${home.id}/status`, body, { key: keyWithoutPunch })).status).toBe(403)
  expect((await status('closed', { overrideReason: 'The buyers agreed.' })).status).toBe(200)
  const { body: history } = await plumbline.get(`/api/ext/status-changes?resourceId=${home.id}`)
  expect(history.data[0].reason ?? history.data.at(-1).reason).toContain('with open punch items: The buyers agreed.')
  expect((await plumbline.get(`/api/ext/punch-items/${item.id}`)).body.status).toBe('open')
})
