import { useState } from 'react'
import { Link } from 'react-router'
import type { Vendor } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { useLive } from '../../api/live.ts'
import { usePage } from '../../api/pages.ts'
import { inWords, Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Listing } from '../../ui/listing.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, None } from '../../ui/table.tsx'
import { ViewTabs } from '../../ui/view-tabs.tsx'
import { VendorForm } from './vendor-form.tsx'

const VIEWS = [
  { value: undefined, word: 'All' },
  { value: 'active', word: 'Active' },
  { value: 'prospective', word: 'Prospective' },
  { value: 'on_hold', word: 'On hold' },
  { value: 'inactive', word: 'Inactive' },
] as const

const COLUMNS: readonly Column<Vendor>[] = [
  {
    head: 'Vendor',
    sort: 'companyName',
    className: 'long',
    cell: ({ id, companyName, contactName }) => (
      <>
        <Link className="lead clip" to={`/vendors/${id}`} title={companyName}>
          {companyName}
        </Link>
        {contactName !== null && <span className="sub">{contactName}</span>}
      </>
    ),
    csv: ({ companyName }) => companyName,
  },
  {
    head: 'Status',
    cell: ({ status }) => <Status of="vendor" is={status} />,
    csv: ({ status }) => LOOKS.vendor[status].word,
  },
  {
    head: 'Compliance',
    cell: ({ complianceStatus }) => <Status of="compliance" is={complianceStatus} />,
    csv: ({ complianceStatus }) => LOOKS.compliance[complianceStatus].word,
  },
  {
    head: 'Trades',
    className: 'long',
    cell: ({ scopes }) =>
      scopes.length === 0 ? (
        <None />
      ) : (
        <span className="clip" title={scopes.join(', ')}>
          {scopes.map(inWords).join(', ')}
        </span>
      ),
    csv: ({ scopes }) => scopes.join(', '),
  },
  { head: 'Phone', className: 'nowrap', cell: ({ phone }) => phone ?? <None />, csv: ({ phone }) => phone },
  { head: 'Email', isWideOnly: true, cell: ({ email }) => email ?? <None />, csv: ({ email }) => email },
  {
    head: 'Portal',
    isWideOnly: true,
    cell: ({ portalStatus }) => <Status of="portal" is={portalStatus} />,
    csv: ({ portalStatus }) => portalStatus,
  },
  {
    head: 'Accounting ID',
    isOnlyExported: true,
    cell: () => null,
    csv: ({ accountingId }) => accountingId,
  },
]

/** Lists vendors. */
export function Component() {
  useLive('at ease')
  const may = useMay()
  const [isNew, setIsNew] = useState(false)
  const scopes = usePage('/api/ext/scopes', { limit: 200, sort: 'name' })
  const create = may('vendors:write') && (
    <>
      {may('skills:write') && (
        <Link className="btn" to="/vendors/import">
          Import
        </Link>
      )}
      <Button look="primary" icon="plus" onClick={() => setIsNew(true)}>
        New vendor
      </Button>
    </>
  )
  return (
    <Page title="Vendors" crumbs={[{ name: 'Vendors' }]} actions={create}>
      <div className="page-head">
        <h1>Vendors</h1>
        <p>Subcontractors and suppliers, their trades and compliance status.</p>
      </div>
      <ViewTabs label="By status" name="status" views={VIEWS} />
      <Listing
        path="/api/ext/vendors"
        nouns={['vendor', 'vendors']}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        sort="companyName"
        searchIn="Company, contact or email"
        tabs={['status']}
        filters={[
          {
            name: 'scope',
            label: 'Trade',
            options: (scopes.data?.data ?? []).map(({ name }) => ({ value: name, label: inWords(name) })),
          },
          {
            name: 'complianceStatus',
            label: 'Compliance',
            options: Object.entries(LOOKS.compliance).map(([value, { word }]) => ({ value, label: word })),
          },
        ]}
        empty={
          <Empty icon="vendors" title="No vendors yet" actions={create}>
            Add the vendors that you invite to bid. They answer on their portal page, without an account.
          </Empty>
        }
      />
      {isNew && <VendorForm onClose={() => setIsNew(false)} />}
    </Page>
  )
}
