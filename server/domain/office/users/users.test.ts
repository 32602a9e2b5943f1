import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEntriesAtPath } from '../../../../scripts/conformance/walked-contract.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { getAdminPermissions, getRolePermissions, ROLES } from '../../../platform/keys/roles.ts'
import { createUser, updateUser } from './users.ts'

let plumbline: TestPlumbline
let elena: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const { database, clock, organizationId } = plumbline
  const requested = { organizationId, email: 'elena@example.com', name: 'Elena Ruiz', phone: '+1 512 555 0100' }
  elena = (await createUser(database, clock, { ...requested, role: 'estimator', poApprovalLimit: 25_000 })).id
})
afterAll(() => plumbline.stop())

test('users can be filtered by role, status, and name', async () => {
  const { body: found } = await plumbline.get('/api/ext/users?role=estimator')
  expect(found.data).toMatchObject([
    {
      ...{ id: elena, name: 'Elena Ruiz', email: 'elena@example.com', phone: '+1 512 555 0100', role: 'estimator' },
      ...{ poApprovalLimit: 25_000, status: 'active', vendorId: null, lastLoginAt: null },
      createdBy: { type: 'system', id: null },
    },
  ])
  expect((await plumbline.get(`/api/ext/users/${elena}`)).body).toEqual(found.data[0])
  const { body: byName } = await plumbline.get('/api/ext/users?sort=name')
  expect(byName.data.map(({ name }: { name: string }) => name)).toEqual(['Elena Ruiz', 'Priya Harrow'])
  await updateUser(plumbline.database, plumbline.clock, elena, { status: 'disabled' })
  const { body: disabled } = await plumbline.get('/api/ext/users?status=disabled')
  expect(disabled.data.map(({ id }: { id: string }) => id)).toEqual([elena])
})

test("a builder cannot see another builder's users", async () => {
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/users/${elena}`, { key })).status).toBe(404)
})

test('listing users requires users:read', async () => {
  const reader = { key: await plumbline.newKey(['messages:read']) }
  expect(await plumbline.get('/api/ext/users', reader)).toMatchObject({
    status: 403,
    body: { permission: 'users:read' },
  })
})

test('each role has the permissions that the contract documents', async () => {
  type Table = Record<string, { read: string[]; write: string[] }>
  const { roles, permissions, administration } = Object.fromEntries(listEntriesAtPath('x-roles')) as unknown as {
    roles: Record<string, string>
    permissions: Table
    administration: Table
  }
  const toldOf = (table: Table, role: string) =>
    Object.entries(table).flatMap(([entity, { read, write }]) => [
      ...(read.includes(role) ? [`${entity}:read`] : []),
      ...(write.includes(role) ? [`${entity}:write`] : []),
    ])
  expect(Object.keys(roles)).toEqual([...ROLES])
  for (const role of ROLES) {
    expect([role, toldOf(permissions, role).sort()]).toEqual([role, [...getRolePermissions(role)].sort()])
    expect([role, toldOf(administration, role).sort()]).toEqual([role, getAdminPermissions(role).sort()])
  }
  const page = await (await fetch(`${plumbline.url}/docs/roles`)).text()
  for (const name of [...ROLES, ...Object.keys({ ...permissions, ...administration })]) expect(page).toContain(name)
})
