import { Link } from 'react-router'
import type { Bid, Contract, PurchaseOrder } from '../../../client/contract.gen.ts'
import { useHomeNames } from '../../api/home-names.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { useRecords } from '../../api/use-records.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { nameContract } from '../contracts/contract-words.ts'

/** The maximum number of records, newest first. The full lists contain the rest. */
const MAX_SHOWN = 10

/** Lists the newest orders of a vendor. */
export function VendorOrders({ vendorId }: { vendorId: string }) {
  const can = useCan()
  const { money } = useFormats()
  const orders = useListPage('/api/ext/purchase-orders', { vendorId, limit: MAX_SHOWN }, { enabled: can('pos:read') })
  const rows = orders.data?.data
  const homes = useHomeNames((rows ?? []).map(({ homeId }) => homeId))
  if (!can('pos:read')) return null
  const columns: readonly Column<PurchaseOrder>[] = [
    {
      head: 'Order',
      cell: ({ id, number, scope }) => (
        <>
          <Link className="lead" to={`/orders/${id}`}>
            {number}
          </Link>
          <span className="sub">{humanizeName(scope)}</span>
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="order" is={status} /> },
    { head: 'Home', cell: ({ homeId }) => homes.get(homeId) ?? '' },
    { head: 'Total', numeric: true, cell: ({ total }) => money(total) },
    { head: 'Paid', numeric: true, cell: ({ paidAmount }) => money(paidAmount) },
  ]
  return (
    <Panel
      title="Orders"
      isFlush
      actions={
        <Link className="small" to={`/orders?vendorId=${vendorId}`}>
          All orders
        </Link>
      }
    >
      {rows?.length === 0 ? (
        <EmptyState icon="orders" title="No orders yet" />
      ) : (
        <div className="table-wrap">
          <Table caption="Orders" columns={columns} rows={rows} keyOf={({ id }) => id} expected={3} />
        </div>
      )}
    </Panel>
  )
}

/** Lists the newest bids of a vendor. */
export function VendorBids({ vendorId }: { vendorId: string }) {
  const can = useCan()
  const { money, day, dateOf } = useFormats()
  const bids = useListPage(
    '/api/ext/bids',
    { vendorId, limit: MAX_SHOWN, sort: '-submittedAt' },
    { enabled: can('bids:read') },
  )
  const rows = bids.data?.data
  const requests = useRecords(
    '/api/ext/bids/requests',
    (rows ?? []).map(({ bidRequestId }) => bidRequestId),
  )
  if (!can('bids:read')) return null
  const columns: readonly Column<Bid>[] = [
    {
      head: 'Request',
      cell: ({ bidRequestId, scope }) => (
        <>
          <Link className="lead" to={`/bidding/${bidRequestId}`}>
            {requests.get(bidRequestId)?.title ?? humanizeName(scope)}
          </Link>
          <span className="sub">{requests.get(bidRequestId)?.number}</span>
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="bid" is={status} /> },
    {
      head: 'Amount',
      numeric: true,
      cell: ({ amount }) => (amount === null ? <EmptyCell word="hidden" /> : money(amount)),
    },
    { head: 'Received', className: 'nowrap', cell: ({ submittedAt }) => day(dateOf(submittedAt)) },
  ]
  return (
    <Panel title="Bids" isFlush>
      {rows?.length === 0 ? (
        <EmptyState icon="bids" title="No bids yet" />
      ) : (
        <div className="table-wrap">
          <Table caption="Bids" columns={columns} rows={rows} keyOf={({ id }) => id} expected={3} />
        </div>
      )}
    </Panel>
  )
}

/** Lists the newest contracts with a vendor, each revision separately. */
export function VendorContracts({ vendorId }: { vendorId: string }) {
  const can = useCan()
  const { day } = useFormats()
  const contracts = useListPage(
    '/api/ext/contracts',
    { vendorId, limit: MAX_SHOWN },
    { enabled: can('contracts:read') },
  )
  const rows = contracts.data?.data
  if (!can('contracts:read')) return null
  const columns: readonly Column<Contract>[] = [
    {
      head: 'Contract',
      cell: (contract) => (
        <>
          <Link className="lead" to={`/catalogue/contracts/${contract.id}`}>
            {nameContract(contract)}
          </Link>
          <span className="sub">{humanizeName(contract.scope)}</span>
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="contract" is={status} /> },
    { head: 'Valid from', className: 'nowrap', cell: ({ effectiveDate }) => day(effectiveDate) },
    {
      head: 'Valid until',
      className: 'nowrap',
      cell: ({ expirationDate }) => (expirationDate === null ? 'no end' : day(expirationDate)),
    },
  ]
  return (
    <Panel
      title="Contracts"
      isFlush
      actions={
        can('contracts:write') && (
          <Link className="small" to={`/catalogue/contracts/new?vendorId=${vendorId}`}>
            New contract
          </Link>
        )
      }
    >
      {rows?.length === 0 ? (
        <EmptyState icon="catalogue" title="No contracts yet" />
      ) : (
        <div className="table-wrap">
          <Table caption="Contracts" columns={columns} rows={rows} keyOf={({ id }) => id} expected={1} />
        </div>
      )}
    </Panel>
  )
}
