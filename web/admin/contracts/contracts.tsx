import { useMemo } from 'react'
import { Link } from 'react-router'
import type { Contract } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { RecordNames } from '../../ui/record-names.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import type { Column } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { CatalogueTabs } from '../catalogue/catalogue-tabs.tsx'
import { CONTRACT_TYPE_WORDS, CONTRACT_TYPES, nameContract } from './contract-words.ts'

const STATUSES = ['draft', 'active', 'expired', 'terminated', 'superseded'] as const
/** The page size limit of one request. A builder has fewer trades. Only the first vendors can be chosen as filters. */
const MAX_NAMED = 200

/** Lists the price agreements with vendors, each revision separately. */
export function Component() {
  useLiveUpdates('at ease')
  const can = useCan()
  const canName = can('vendors:read')
  const vendors = useListPage('/api/ext/vendors', { limit: MAX_NAMED, sort: 'companyName' }, { enabled: canName })
  const trades = useListPage('/api/ext/scopes', { limit: MAX_NAMED, sort: 'name' }, { enabled: canName })
  const filters = useMemo<readonly Filter[]>(
    () => [
      {
        name: 'status',
        label: 'Status',
        options: STATUSES.map((value) => ({ value, label: STATUS_LOOKS.contract[value].word })),
      },
      {
        name: 'vendorId',
        label: 'Vendor',
        options: (vendors.data?.data ?? []).map(({ id, companyName }) => ({ value: id, label: companyName })),
      },
      {
        name: 'scope',
        label: 'Trade',
        options: (trades.data?.data ?? []).map(({ name }) => ({ value: name, label: humanizeName(name) })),
      },
      {
        name: 'contractType',
        label: 'Type',
        options: CONTRACT_TYPES.map((value) => ({ value, label: CONTRACT_TYPE_WORDS[value] })),
      },
    ],
    [vendors.data, trades.data],
  )
  return (
    <Page
      title="Vendor contracts"
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name: 'Vendor contracts' }]}
      actions={
        can('contracts:write') && (
          <Link className="btn primary" to="/catalogue/contracts/new">
            New contract
          </Link>
        )
      }
    >
      <div className="page-head">
        <h1>Vendor contracts</h1>
        <p>Price agreements with vendors. Each revision has its own period.</p>
      </div>
      <CatalogueTabs />
      <Listing
        path="/api/ext/contracts"
        nouns={['contract', 'contracts']}
        columns={useColumns()}
        keyOf={({ id }) => id}
        sort="-createdAt"
        searchIn="Number or notes"
        filters={filters}
        empty={
          <EmptyState icon="catalogue" title="No contracts yet">
            Agree on prices with a vendor for a period. Estimates and orders then use these prices.
          </EmptyState>
        }
      />
    </Page>
  )
}

function useColumns(): readonly Column<Contract>[] {
  const { day } = useFormats()
  return [
    {
      head: 'Contract',
      sort: 'number',
      cell: (contract) => (
        <>
          <Link className="lead" to={`/catalogue/contracts/${contract.id}`}>
            {nameContract(contract)}
          </Link>
          <span className="sub">{CONTRACT_TYPE_WORDS[contract.contractType]}</span>
        </>
      ),
      csv: nameContract,
    },
    {
      head: 'Status',
      cell: ({ status }) => <Status of="contract" is={status} />,
      csv: ({ status }) => STATUS_LOOKS.contract[status].word,
    },
    {
      head: 'Vendor',
      cell: ({ vendorId }) => <RecordName of="vendor" id={vendorId} />,
      csv: ({ vendorId }) => fetchRecordName('vendor', vendorId),
    },
    { head: 'Trade', cell: ({ scope }) => humanizeName(scope), csv: ({ scope }) => scope },
    {
      head: 'Communities',
      cell: ({ communityIds }) => <RecordNames of="community" ids={communityIds} none="all" />,
      csv: async ({ communityIds }) =>
        (await Promise.all(communityIds.map((id) => fetchRecordName('community', id)))).join(', '),
    },
    {
      head: 'Valid from',
      sort: 'effectiveDate',
      className: 'nowrap',
      cell: ({ effectiveDate }) => day(effectiveDate),
      csv: ({ effectiveDate }) => effectiveDate,
    },
    {
      head: 'Valid until',
      className: 'nowrap',
      cell: ({ expirationDate }) => (expirationDate === null ? 'no end' : day(expirationDate)),
      csv: ({ expirationDate }) => expirationDate,
    },
    {
      head: 'Prices',
      numeric: true,
      cell: ({ lines, lumpSums }) => lines.length + lumpSums.length,
      csv: ({ lines, lumpSums }) => lines.length + lumpSums.length,
    },
  ]
}
