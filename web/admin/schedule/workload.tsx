import { Link, useSearchParams } from 'react-router'
import type { VendorWorkloadEntry } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useQueryParam } from '../../ui/param-select.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'

const MAX_VENDORS = 20

/** Shows the tasks of each vendor by week. Choosing a vendor's name filters the page. */
export function Workload(props: { communityId: string | null; vendorId: string | null; from: string; weeks: number }) {
  const { communityId, vendorId, from, weeks } = props
  const { shortDay } = useFormats()
  const [params] = useSearchParams()
  const after = params.get('after')
  const setAfter = useQueryParam('after')
  const load = plumbline.useQuery('get', '/api/ext/vendors/workload', {
    params: {
      query: {
        ...{ from, weeks, limit: MAX_VENDORS },
        ...(communityId !== null && { communityId }),
        ...(vendorId !== null && { vendorId }),
        ...(after !== null && vendorId === null && { afterVendorId: after }),
      },
    },
  })
  if (load.error !== null)
    return <LoadError what="The workload" error={load.error} onRetry={() => void load.refetch()} />
  const vendors = load.data?.vendors
  const mondays = vendors?.[0]?.weeks.map(({ week }) => week) ?? []
  const columns: readonly Column<VendorWorkloadEntry>[] = [
    {
      head: 'Vendor',
      cell: (vendor) => {
        const to = new URLSearchParams({
          vendor: vendor.vendorId,
          ...(communityId !== null && { community: communityId }),
        })
        return (
          <Link className="lead" to={`/schedule?${to}`}>
            {vendor.companyName}
          </Link>
        )
      },
    },
    ...mondays.map((monday, at) => ({
      head: at === 0 ? 'This week' : `from ${shortDay(monday)}`,
      numeric: true,
      cell: ({ weeks: all }: VendorWorkloadEntry) => {
        const week = all[at]
        if (week === undefined || week.tasks === 0) return <EmptyCell word="0" />
        return (
          <>
            {formatCount(week.tasks, 'task')} <span className="faint">{formatCount(week.workdays, 'day')}</span>
          </>
        )
      },
    })),
  ]
  return (
    <Panel
      title="Workload by vendor"
      hint="number of tasks and workdays"
      isFlush
      actions={
        vendorId === null && (
          <>
            {after !== null && (
              <Button small look="quiet" onClick={() => setAfter('')}>
                Back to the first vendors
              </Button>
            )}
            {load.data?.lastVendorId != null && (
              <Button small look="quiet" onClick={() => setAfter(load.data?.lastVendorId ?? '')}>
                More vendors
              </Button>
            )}
          </>
        )
      }
    >
      {vendors === undefined ? (
        <SkeletonLines />
      ) : vendors.length === 0 ? (
        <p className="muted">No vendor has tasks in these weeks.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Workload by vendor and week" columns={columns} rows={vendors} keyOf={(row) => row.vendorId} />
        </div>
      )}
    </Panel>
  )
}
