import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query'
import createQueries from 'openapi-react-query'
import { type FormEvent, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { vendorStatusValues } from '../../../client/enums.gen.ts'
import { type AnyProblem, createClient, orThrow, type VendorStatus } from '../../../client/index.ts'

/** A page that a frontend team could write. It shows a builder's vendors and has a form to add a vendor. */
const { baseUrl } = (window as unknown as { plumbline: { baseUrl: string } }).plumbline
const client = createClient({
  baseUrl,
  key: async (signal) => (await fetch('/token', { method: 'POST', signal })).text(),
  retry: { retries: 2, longestWaitSeconds: 5, totalWaitSeconds: 6 },
})
const plumbline = createQueries(client.openapi)

let after: string | undefined

/** Shows changes by other users, as described in the guide for pages. */
function useNews() {
  const queries = useQueryClient()
  useQuery({
    queryKey: ['news'],
    refetchInterval: 5000,
    async queryFn({ signal }) {
      const query = after === undefined ? { sort: '-sequence' as const, limit: 1 } : { after, wait: 25, limit: 100 }
      const { data } = await orThrow(client.GET('/api/ext/events', { params: { query }, signal }))
      if (after !== undefined && data.length > 0)
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'news' })
      after = data.at(-1)?.id ?? after
      return after ?? null
    },
  })
}

function Vendors() {
  useNews()
  const [status, setStatus] = useState<VendorStatus | undefined>()
  const query = { sort: 'companyName', limit: 20, ...(status && { status }) } as const
  const { data, error } = plumbline.useQuery('get', '/api/ext/vendors', { params: { query } })
  return (
    <>
      <label>
        Status{' '}
        <select onChange={(event) => setStatus(vendorStatusValues.find((one) => one === event.target.value))}>
          <option value="">any</option>
          {vendorStatusValues.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {error && <Fault problem={error} />}
      <ul aria-label={`Vendors: ${status ?? 'any'}`}>
        {data?.data.map((vendor) => (
          <li key={vendor.id}>
            {vendor.companyName} <small>{vendor.scopes.join(', ')}</small>
          </li>
        ))}
      </ul>
    </>
  )
}

function NewVendor() {
  const queries = useQueryClient()
  const [companyName, setCompanyName] = useState('')
  const { mutate, data, error } = plumbline.useMutation('post', '/api/ext/vendors', {
    onSuccess: () => queries.invalidateQueries(),
  })
  const add = (event: FormEvent) => {
    event.preventDefault()
    mutate({ body: { companyName, scopes: ['framing'] } })
  }
  return (
    <form onSubmit={add}>
      <label>
        Company <input value={companyName} onChange={(event) => setCompanyName(event.target.value)} />
      </label>
      <button type="submit">Add</button>
      {error && <Fault problem={error} />}
      {data && <p role="status">Added {data.companyName}</p>}
    </form>
  )
}

function Fault({ problem }: { problem: AnyProblem }) {
  return (
    <p role="alert">
      {problem.title} {problem.errors?.map((fault) => `${fault.pointer} ${fault.message}`).join('; ')}
    </p>
  )
}

createRoot(document.getElementById('root') ?? document.body).render(
  <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
    <h1>Vendors</h1>
    <Vendors />
    <NewVendor />
  </QueryClientProvider>,
)
