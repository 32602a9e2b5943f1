import createOpenApiClient from 'openapi-fetch'
import type { paths } from '../contract.gen.ts'
const c = createOpenApiClient<paths>({ baseUrl: '' })
// 1 typo in query beside a good one
void c.GET('/api/ext/vendors', { params: { query: { limit: 1, statuss: 'x' } } })
// 2 typo only
void c.GET('/api/ext/vendors', { params: { query: { statuss: 'x' } } })
// 3 unknown body field
void c.POST('/api/ext/vendors', { body: { companyName: 'x', foo: 1 } })
// 4 top-level typo
void c.GET('/api/ext/vendors', { parms: { query: { limit: 1 } } })
// 5 wrong enum
void c.GET('/api/ext/vendors', { params: { query: { status: 'nope' } } })
// 6 missing path
void c.GET('/api/ext/vendors/{vendorId}')
const r = await c.DELETE('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: 'x' } } })
export const d: { nothing: 1 } = r.data
const y = await c.GET('/api/ext/schema/openapi.yaml')
export const e: { nothing: 1 } = y.data
