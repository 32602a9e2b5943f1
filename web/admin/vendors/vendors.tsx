import { useState } from 'react'
import { Link } from 'react-router'
import type { Vendor } from '../../../client/contract.gen.ts'
import { usePage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { useLive } from '../../api/use-live.ts'
import { humanize, Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
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
    csv: ({ status }) => STATUS_LOOKS.vendor[status].word,
  },
  {
    head: 'Compliance',
    cell: ({ complianceStatus }) => <Status of="compliance" is={complianceStatus} />,
    csv: ({ complianceStatus }) => STATUS_LOOKS.compliance[complianceStatus].word,
  },
  {
    head: 'Trades',
    className: 'long',
    cell: ({ scopes }) =>
      scopes.length === 0 ? (
        <EmptyCell />
      ) : (
        <span className="clip" title={scopes.join(', ')}>
          {scopes.map(humanize).join(', ')}
        </span>
      ),
    csv: ({ scopes }) => scopes.join(', '),
  },
  { head: 'Phone', className: 'nowrap', cell: ({ phone }) => phone ?? <EmptyCell />, csv: ({ phone }) => phone },
  { head: 'Email', isWideOnly: true, cell: ({ email }) => email ?? <EmptyCell />, csv: ({ email }) => email },
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
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
  const scopes = usePage('/api/ext/scopes', { limit: 200, sort: 'name' })
  const create = can('vendors:write') && (
    <>
      {can('skills:write') && (
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
            options: (scopes.data?.data ?? []).map(({ name }) => ({ value: name, label: humanize(name) })),
          },
          {
            name: 'complianceStatus',
            label: 'Compliance',
            options: Object.entries(STATUS_LOOKS.compliance).map(([value, { word }]) => ({ value, label: word })),
          },
        ]}
        empty={
          <EmptyState icon="vendors" title="No vendors yet" actions={create}>
            Add the vendors that you invite to bid. They answer on their portal page, without an account.
          </EmptyState>
        }
      />
      {isNew && <VendorForm onClose={() => setIsNew(false)} />}
    </Page>
  )
}
