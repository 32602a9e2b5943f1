import { useState } from 'react'
import { Link } from 'react-router'
import type { Vendor } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
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
          {scopes.map(humanizeName).join(', ')}
        </span>
      ),
    csv: ({ scopes }) => scopes.join(', '),
  },
  { head: 'Phone', className: 'nowrap', cell: ({ phone }) => phone ?? <EmptyCell />, csv: ({ phone }) => phone },
  {
    head: 'Email',
    isWideOnly: true,
    className: 'email',
    cell: ({ email }) =>
      email === null ? (
        <EmptyCell />
      ) : (
        <span className="clip" title={email}>
          {email}
        </span>
      ),
    csv: ({ email }) => email,
  },
  {
    head: 'Portal',
    isWideOnly: true,
    cell: ({ portalStatus }) => <Status of="portal" is={portalStatus} />,
    csv: ({ portalStatus }) => portalStatus,
  },
  { head: 'Contact', isOnlyExported: true, cell: () => null, csv: ({ contactName }) => contactName },
  ...(
    [
      ['Address', 'line1'],
      ['Address 2', 'line2'],
      ['City', 'city'],
      ['State', 'state'],
      ['ZIP', 'postalCode'],
      ['Country', 'country'],
    ] as const
  ).map(
    ([head, part]): Column<Vendor> => ({
      ...{ head, isOnlyExported: true, cell: () => null },
      csv: ({ address }) => address?.[part] ?? null,
    }),
  ),
  { head: 'License', isOnlyExported: true, cell: () => null, csv: ({ licenseNumber }) => licenseNumber },
  { head: 'Terms', isOnlyExported: true, cell: () => null, csv: ({ paymentTerms }) => writeTerms(paymentTerms) },
  {
    ...{ head: 'Retainage (%)', isOnlyExported: true, cell: () => null },
    csv: ({ defaultRetainagePercent }) => defaultRetainagePercent,
  },
  { head: '1099 vendor', isOnlyExported: true, cell: () => null, csv: ({ is1099 }) => (is1099 ? 'Yes' : 'No') },
  { head: 'Open order limit', isOnlyExported: true, cell: () => null, csv: ({ poLimit }) => poLimit },
  { head: 'External ID', isOnlyExported: true, cell: () => null, csv: ({ externalId }) => externalId },
  // An import finds the vendor by this ID, even if the file contains other corrections.
  { head: 'Plumbline ID', isOnlyExported: true, cell: () => null, csv: ({ id }) => id },
  {
    head: 'Accounting ID',
    isOnlyExported: true,
    cell: () => null,
    csv: ({ accountingId }) => accountingId,
  },
]

/** Formats payment terms as accounting systems do, such as `Net 30` or `2% 10 Net 30`. */
function writeTerms({ netDays, discountPercent, discountDays }: Vendor['paymentTerms']): string {
  return discountPercent === 0 ? `Net ${netDays}` : `${discountPercent}% ${discountDays} Net ${netDays}`
}

/** Lists vendors. */
export function Component() {
  useLiveUpdates('at ease')
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
  const scopes = useListPage('/api/ext/scopes', { limit: 200, sort: 'name' })
  const create = can('vendors:write') && (
    <>
      <Link className="btn" to="/imports?kind=vendor">
        Import
      </Link>
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
        searchIn="Company, contact, or email"
        tabs={['status']}
        filters={[
          {
            name: 'scope',
            label: 'Trade',
            options: (scopes.data?.data ?? []).map(({ name }) => ({ value: name, label: humanizeName(name) })),
          },
          {
            name: 'complianceStatus',
            label: 'Compliance',
            options: Object.entries(STATUS_LOOKS.compliance).map(([value, { word }]) => ({ value, label: word })),
          },
        ]}
        empty={
          <EmptyState icon="vendors" title="No vendors yet" actions={create}>
            Add the vendors that you invite to bid. Vendors respond on their portal page, without an account.
          </EmptyState>
        }
      />
      {isNew && <VendorForm onClose={() => setIsNew(false)} />}
    </Page>
  )
}
