import { useParams } from 'react-router'
import type { Price } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useSession } from '../../api/session.ts'
import { humanizeName } from '../../ui/badge.tsx'
import { formatQuantity, formatUnitPrice } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'

/** The maximum number of prices on the page of a part. The API also returns the others. */
const MAX_PRICES_SHOWN = 200

/** Shows one part, with each vendor's price by community and start date. */
export function Component() {
  const { partId = '' } = useParams()
  const { currency } = useSession().organization
  const { day, today } = useFormats()
  const at = { params: { path: { partId } } }
  const part = plumbline.useQuery('get', '/api/ext/parts/{partId}', at)
  const prices = plumbline.useQuery('get', '/api/ext/parts/{partId}/prices', {
    params: { path: { partId }, query: { sort: '-effectiveDate', limit: MAX_PRICES_SHOWN } },
  })
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
      cell: ({ communityId, planId }) => (
        <>
          {communityId === null ? <EmptyCell word="everywhere" /> : <RecordName of="community" id={communityId} />}
          {planId !== null && (
            <span className="sub">
              for <RecordName of="plan" id={planId} />
            </span>
          )}
        </>
      ),
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
    { head: `Unit price, ${currency}`, numeric: true, cell: (price) => formatUnitPrice(price.unitPrice) },
  ]
  const crumbs = [{ name: 'Catalog', to: '/catalogue' }, { name: 'Parts', to: '/catalogue/parts' }, { name }]
  return (
    <Page title={name} crumbs={crumbs} actions={<RecordActions field="partId" id={partId} />}>
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
        <Panel title="Prices" hint="newest first" isFlush>
          {prices.data?.data.length === 0 ? (
            <p className="muted">No prices yet.</p>
          ) : (
            <div className="table-wrap">
              <Table caption="Prices" columns={columns} rows={prices.data?.data} keyOf={({ id }) => id} />
            </div>
          )}
        </Panel>
      )}
    </Page>
  )
}
