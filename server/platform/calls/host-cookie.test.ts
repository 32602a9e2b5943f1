import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageRequest, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline({ PUBLIC_URL: 'https://build.example.com/plumbline' })
})
afterAll(() => plumbline.stop())

test('over HTTPS, the session cookie has the prefix __Host- and the attributes that the prefix requires', async () => {
  const { url } = await plumbline.app.services.identity.makeLink('priya@harrowfinch.example.com', 60_000)
  const token = url.slice(url.indexOf('=') + 1)
  const answer = await plumbline.post('/api/admin/sign-in', { token }, pageRequest(''))
  const [cookie = ''] = answer.headers.getSetCookie()
  expect(cookie).toMatch(/^__Host-plumbline_session=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const signedIn = pageRequest(cookie.split(';')[0] ?? '')
  const among = pageRequest(`theme=dark; ${cookie.split(';')[0]}; plumbline_session=planted`)
  for (const by of [signedIn, among]) expect((await plumbline.get('/api/admin/session', by)).status).toBe(200)
  const out = await plumbline.delete('/api/admin/session', signedIn)
  expect(out.headers.getSetCookie()).toEqual([
    '__Host-plumbline_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
  ])
})

test('over HTTPS, a session cookie without the __Host- prefix is ignored', async () => {
  const { headers } = await plumbline.signIn()
  const planted = pageRequest(headers?.cookie?.replace('__Host-', '') ?? '')
  expect((await plumbline.get('/api/admin/session', planted)).body).toMatchObject({
    status: 401,
    code: 'not_signed_in',
  })
})

test('over HTTPS, the language cookie of the portal also has the __Host- prefix', async () => {
  const address = `${plumbline.url}/portal/${await plumbline.newPortalToken()}`
  const chosen = await fetch(`${address}?language=es`, { redirect: 'manual' })
  const [cookie = ''] = chosen.headers.getSetCookie()
  expect(cookie).toMatch(/^__Host-portal_language=es; .*Path=\/; .*HttpOnly; Secure; SameSite=Lax$/)
  const spoken = async (stored: string) =>
    (await (await fetch(address, { headers: { cookie: stored } })).text()).slice(0, 60)
  expect(await spoken(cookie.split(';')[0] ?? '')).toContain('lang="es"')
  expect(await spoken('portal_language=es')).toContain('lang="en"')
})
