import { useParams } from 'react-router'
import type { Price } from '../../../client/contract.gen.ts'
import { useSession } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { inWords } from '../../ui/badge.tsx'
import { quantity, unitPrice } from '../../ui/figures.ts'
import { Name } from '../../ui/name.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed, SkeletonLines } from '../../ui/states.tsx'
import { type Column, None, Table } from '../../ui/table.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { count } from '../../ui/words.ts'

/** How many prices of a part are shown; the API returns the others. */
const SHOWN = 200

/** Shows one part, with each vendor's price by community and start date. */
export function Component() {
  const { partId = '' } = useParams()
  const { currency } = useSession().organization
  const { day, today } = useFormats()
  const at = { params: { path: { partId } } }
  const part = plumbline.useQuery('get', '/api/ext/parts/{partId}', at)
  const prices = plumbline.useQuery('get', '/api/ext/parts/{partId}/prices', {
    params: { path: { partId }, query: { sort: '-effectiveDate', limit: SHOWN } },
  })
  const name = part.data?.name ?? 'Part'
  const now = today()
  const isOver = ({ expirationDate }: Price) => expirationDate !== null && expirationDate < now
  const columns: readonly Column<Price>[] = [
    { head: 'Vendor', cell: ({ vendorId }) => <Name of="vendor" id={vendorId} /> },
    {
      head: 'Valid',
      cell: (price) =>
        isOver(price) ? <span className="faint">no longer</span> : price.effectiveDate > now ? 'later' : 'now',
    },
    {
      head: 'Applies to',
      cell: ({ communityId, planId }) => (
        <>
          {communityId === null ? <None word="everywhere" /> : <Name of="community" id={communityId} />}
          {planId !== null && (
            <span className="sub">
              for <Name of="plan" id={planId} />
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
    { head: 'Minimum quantity', numeric: true, isWideOnly: true, cell: ({ minQuantity }) => quantity(minQuantity) },
    { head: `Unit price, ${currency}`, numeric: true, cell: (price) => unitPrice(price.unitPrice) },
  ]
  const crumbs = [{ name: 'Catalog', to: '/catalogue' }, { name: 'Parts', to: '/catalogue/parts' }, { name }]
  return (
    <Page title={name} crumbs={crumbs}>
      {part.error !== null ? (
        <Failed what="The part" error={part.error} onRetry={() => void part.refetch()} />
      ) : part.data === undefined ? (
        <SkeletonLines lines={4} />
      ) : (
        <TitleBlock
          name={name}
          sub={part.data.sku}
          facts={[
            { label: 'Unit', isFigure: true, value: part.data.unit },
            { label: 'Trade', value: part.data.scope === null ? 'none' : inWords(part.data.scope) },
            {
              label: 'Cost code',
              value: part.data.costCodeId === null ? 'none' : <Name of="costCode" id={part.data.costCodeId} />,
            },
            {
              label: 'Lead time',
              value: part.data.leadTimeDays === null ? 'not set' : count(part.data.leadTimeDays, 'day'),
            },
          ]}
        />
      )}
      {prices.error !== null ? (
        <Failed what="The prices" error={prices.error} onRetry={() => void prices.refetch()} />
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
