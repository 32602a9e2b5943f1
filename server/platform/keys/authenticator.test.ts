import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { type Contract, loadContract, readContract } from '../calls/contract.ts'

/** Returns the contract in which one operation has other security schemes. */
function withSecurity(security: Record<string, string[]>[]): Contract {
  const document = structuredClone(loadContract().document)
  Object.assign(document.paths['/api/portal/invitations']?.get ?? {}, { security })
  return readContract(document)
}

let plumbline: TestPlumbline
beforeAll(async () => {
  // The operation does not declare a response for a missing permission, so the test disables the checking of responses.
  const contract = withSecurity([{ apiKey: ['bids:read'] }, { portalToken: [] }])
  plumbline = await startTestPlumbline({ CHECK_ANSWERS: 'false' }, { contract })
})
afterAll(() => plumbline.stop())

test('an operation with two security schemes accepts credentials of either scheme', async () => {
  const token = await plumbline.newPortalToken()
  expect((await plumbline.get('/api/portal/invitations', { key: token })).status).toBe(200)
  // The key is accepted, but it does not belong to a vendor, so there are no invitations to list.
  const byKey = await plumbline.get('/api/portal/invitations')
  expect([byKey.status, byKey.body.data]).toEqual([200, []])
  const narrow = await plumbline.newKey(['vendors:read'])
  const refused = await plumbline.get('/api/portal/invitations', { key: narrow })
  expect([refused.status, refused.body.permission]).toEqual([403, 'bids:read'])
})

test('a request without credentials returns the error of the first security scheme', async () => {
  const refused = await plumbline.get('/api/portal/invitations', { key: null })
  expect([refused.status, refused.body.code]).toEqual([401, 'missing_key'])
  expect(refused.body.detail).toContain('plb_')
})

test('a security scheme without an authenticator prevents startup', async () => {
  const start = startTestPlumbline({}, { contract: withSecurity([{ certificate: [] }]) })
  await expect(start).rejects.toThrow('Expected an authenticator for the scheme certificate of listPortalInvitations')
})

test('a contract that requires two security schemes together is rejected', () => {
  expect(() => withSecurity([{ apiKey: [], portalToken: [] }])).toThrow('to name one scheme')
})
