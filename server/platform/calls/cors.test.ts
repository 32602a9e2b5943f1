import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../../../scripts/conformance/walked-contract.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

const OURS = 'https://app.harrowfinch.example.com'
const THEIRS = 'https://elsewhere.example.com'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline({ CORS_ORIGINS: `${OURS}, http://localhost:5173` })
})
afterAll(() => plumbline.stop())

const ask = (path: string, origin: string) =>
  plumbline.request('OPTIONS', path, undefined, {
    key: null,
    headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' },
  })
const grant = (answer: { headers: Headers }) => answer.headers.get('access-control-allow-origin')

test('a preflight request from an allowed origin returns the allowed headers', async () => {
  const { status, headers } = await ask('/api/ext/vendors/any', OURS)
  expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([204, OURS, 'Origin'])
  const methods = headers.get('access-control-allow-methods')?.split(', ')
  const used = [...contract.operations.values()].filter(({ path }) => /^\/api\/(ext|portal)\//.test(path))
  expect(methods).toEqual(expect.arrayContaining([...new Set(used.map(({ method }) => method))]))
  const sent = used.flatMap(({ headers }) => [...headers])
  const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
  expect(allowed).toEqual(expect.arrayContaining([...new Set(sent), 'authorization', 'content-type']))
  // Cookies are never allowed.
  expect(headers.get('access-control-allow-credentials')).toBeNull()
})

test('a page of an allowed origin can read all headers of responses and errors', async () => {
  const listed = await plumbline.get('/api/ext/vendors', { headers: { origin: OURS } })
  const refused = await plumbline.get('/api/ext/vendors', { headers: { origin: OURS }, key: null })
  for (const answer of [listed, refused])
    expect([grant(answer), answer.headers.get('access-control-expose-headers')]).toEqual([OURS, '*'])
  expect([listed.status, refused.status]).toEqual([200, 401])
})

test('an origin that is not allowed gets no CORS headers', async () => {
  expect([grant(await ask('/api/ext/vendors', THEIRS)), (await ask('/api/ext/vendors', THEIRS)).status]).toEqual([
    null,
    405,
  ])
  expect(grant(await plumbline.get('/api/ext/vendors', { headers: { origin: THEIRS } }))).toBeNull()
})

test('pages and the admin API return no CORS headers', async () => {
  for (const path of ['/api/admin/keys', '/docs', '/healthz']) expect(grant(await ask(path, OURS)), path).toBeNull()
})

test('a request without an Origin header gets no CORS headers', async () => {
  const { headers } = await plumbline.get('/api/ext/vendors')
  expect([...headers.keys()].filter((name) => name.startsWith('access-control-') || name === 'vary')).toEqual([])
})

test('CORS allows no origin by default', async () => {
  const closed = await startTestPlumbline()
  const { headers } = await closed.get('/api/ext/vendors', { headers: { origin: OURS } })
  expect(headers.get('access-control-allow-origin')).toBeNull()
  await closed.stop()
})
