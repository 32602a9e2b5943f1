import { useMemo, useState } from 'react'
import { useParams } from 'react-router'
import type { Price } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { useRecords } from '../../api/use-records.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { formatPercent, formatQuantity, formatUnitPrice } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { AppliesTo } from './applies-to.tsx'
import { PartDialog } from './part-form.tsx'
import { AddPriceDialog, EndPriceDialog } from './price-forms.tsx'
import { computePriceChanges } from './price-history.ts'

/** The maximum number of prices on the page of a part. The API also returns the others. */
const MAX_PRICES_SHOWN = 200

/** Shows one part, with each vendor's price by community and start date. */
export function Component() {
  const { partId = '' } = useParams()
  const can = useCan()
  const { currency } = useSession().organization
  const [vendorId, setVendorId] = useState('')
  const [isAdding, setIsAdding] = useState(false)
  const [isEditing, setIsEditing] = useState(false)
  const [ended, setEnded] = useState<Price | null>(null)
  const { day, today } = useFormats()
  const at = { params: { path: { partId } } }
  const part = plumbline.useQuery('get', '/api/ext/parts/{partId}', at)
  const prices = plumbline.useQuery('get', '/api/ext/parts/{partId}/prices', {
    params: { path: { partId }, query: { sort: '-effectiveDate', limit: MAX_PRICES_SHOWN } },
  })
  const all = prices.data?.data
  const rows = vendorId === '' ? all : all?.filter((price) => price.vendorId === vendorId)
  const changes = useMemo(() => computePriceChanges(all ?? []), [all])
  const vendors = useRecords(
    '/api/ext/vendors',
    (all ?? []).map((price) => price.vendorId),
  )
  const name = part.data?.name ?? 'Part'
  const now = today()
  const isOver = ({ expirationDate }: Price) => expirationDate !== null && expirationDate < now
  const columns: readonly Column<Price>[] = [
    { head: 'Vendor', cell: ({ vendorId }) => <RecordName of="vendor" id={vendorId} /> },
    {
      head: 'Validity',
      cell: (price) =>
        isOver(price) ? <span className="faint">no longer</span> : price.effectiveDate > now ? 'later' : 'now',
    },
    {
      head: 'Applies to',
      cell: ({ communityId, planId }) => <AppliesTo communityId={communityId} planId={planId} />,
    },
    {
      head: 'Period',
      className: 'nowrap',
      cell: ({ effectiveDate, expirationDate }) =>
        `${day(effectiveDate)}${expirationDate === null ? '' : ` to ${day(expirationDate)}`}`,
    },
    {
      head: 'Minimum quantity',
      numeric: true,
      isWideOnly: true,
      cell: ({ minQuantity }) => formatQuantity(minQuantity),
    },
    {
      head: 'Change',
      numeric: true,
      cell: ({ id }) => {
        const percent = changes.get(id)
        if (percent === undefined) return <EmptyCell word="first price" />
        return percent === 0 ? 'none' : `${percent > 0 ? '+' : ''}${formatPercent(percent)}`
      },
    },
    { head: `Unit price, ${currency}`, numeric: true, cell: (price) => formatUnitPrice(price.unitPrice) },
    ...(can('parts:write')
      ? [
          {
            head: 'Actions',
            // A price of a contract ends with the contract.
            cell: (price: Price) =>
              price.contractId !== null ? (
                <RecordName of="contract" id={price.contractId} />
              ) : (
                !isOver(price) && (
                  <Button small look="quiet" onClick={() => setEnded(price)}>
                    {price.expirationDate === null ? 'End' : 'Change end'}
                  </Button>
                )
              ),
          },
        ]
      : []),
  ]
  const crumbs = [{ name: 'Catalog', to: '/catalogue' }, { name: 'Parts', to: '/catalogue/parts' }, { name }]
  return (
    <Page
      title={name}
      crumbs={crumbs}
      actions={
        <>
          {part.data !== undefined && part.data.archivedAt === null && can('parts:write') && (
            <>
              <Button onClick={() => setIsEditing(true)}>Edit</Button>
              <Button look="primary" onClick={() => setIsAdding(true)}>
                Add price
              </Button>
            </>
          )}
          <RecordActions field="partId" id={partId} except={['updatePart', 'addPrice']} />
        </>
      }
    >
      {part.error !== null ? (
        <LoadError what="The part" error={part.error} onRetry={() => void part.refetch()} />
      ) : part.data === undefined ? (
        <SkeletonLines lines={4} />
      ) : (
        <TitleBlock
          name={name}
          sub={part.data.sku}
          facts={[
            { label: 'Unit', isFigure: true, value: part.data.unit },
            { label: 'Trade', value: part.data.scope === null ? 'none' : humanizeName(part.data.scope) },
            {
              label: 'Cost code',
              value: part.data.costCodeId === null ? 'none' : <RecordName of="costCode" id={part.data.costCodeId} />,
            },
            {
              label: 'Lead time',
              value: part.data.leadTimeDays === null ? 'not set' : formatCount(part.data.leadTimeDays, 'day'),
            },
          ]}
        />
      )}
      {prices.error !== null ? (
        <LoadError what="The prices" error={prices.error} onRetry={() => void prices.refetch()} />
      ) : (
        <Panel
          title="Prices"
          hint="newest first"
          isFlush
          actions={
            vendors.size > 1 && (
              <select
                className="input"
                aria-label="Vendor"
                value={vendorId}
                onChange={(event) => setVendorId(event.target.value)}
              >
                <option value="">All vendors</option>
                {[...vendors.values()].map(({ id, companyName }) => (
                  <option key={id} value={id}>
                    {companyName}
                  </option>
                ))}
              </select>
            )
          }
        >
          {rows?.length === 0 ? (
            <p className="muted">No prices yet.</p>
          ) : (
            <div className="table-wrap">
              <Table caption="Prices" columns={columns} rows={rows} keyOf={({ id }) => id} />
            </div>
          )}
        </Panel>
      )}
      {isAdding && part.data !== undefined && <AddPriceDialog part={part.data} onClose={() => setIsAdding(false)} />}
      {isEditing && part.data !== undefined && <PartDialog part={part.data} onClose={() => setIsEditing(false)} />}
      {ended !== null && (
        <EndPriceDialog
          price={all?.find(({ id }) => id === ended.id) ?? ended}
          vendor={vendors.get(ended.vendorId)?.companyName ?? 'the vendor'}
          onClose={() => setEnded(null)}
        />
      )}
    </Page>
  )
}
