import { Link } from 'react-router'
import type { BidRequest } from '../../../client/contract.gen.ts'
import { useRecords } from '../../api/use-records.ts'
import { formatQuantity } from '../../ui/number-formats.ts'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { formatList } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordFiles } from '../files/record-files.tsx'

const BID_TYPES: Record<BidRequest['bidType'], string> = {
  lump_sum: 'One total price',
  unit_price: 'A unit price for each line',
  both: 'A price for each line and a total price',
}

/** Describes the work for which the vendors are to bid. */
export function RequestDetails({ request }: { request: BidRequest }) {
  const { day } = useFormats()
  const homes = useRecords('/api/ext/homes', request.homeIds)
  const named = request.homeIds.flatMap((id) => {
    const home = homes.get(id)
    return home === undefined ? [] : [home]
  })
  return (
    <div className="cols">
      <div className="stack">
        <Panel title="Lines" hint="priced individually" isFlush>
          {request.lines.length === 0 ? (
            <EmptyState icon="bids" title="No lines">
              Vendors enter one total price.
            </EmptyState>
          ) : (
            <div className="table-wrap">
              <Table
                caption="Lines"
                rows={request.lines}
                keyOf={({ lineId }) => lineId}
                columns={[
                  { head: 'Line', cell: ({ description }) => description },
                  { head: 'Quantity', numeric: true, cell: (line) => `${formatQuantity(line.quantity)} ${line.unit}` },
                  { head: 'Priced', cell: ({ required }) => (required ? 'required' : 'optional') },
                ]}
              />
            </div>
          )}
        </Panel>
        <RecordFiles
          recordId={request.id}
          name={request.number}
          needs="bids:write"
          share="Invited vendors see shared files with the bid request in the portal."
          empty="No files yet. Add plans and specifications, and share them with the invited vendors."
        />
      </div>
      <Panel title="Bid request details">
        <KeyValues
          facts={[
            ['Prices', BID_TYPES[request.bidType]],
            ['Award', request.awardMode === 'single' ? 'To one vendor' : 'May be split between vendors'],
            ['Amounts', request.blind ? 'Blind: hidden until bidding closes' : 'Visible as they arrive'],
            ['Late bids', request.acceptLate ? 'Accepted' : 'Not accepted'],
            [
              'Homes',
              named.length === 0
                ? 'The whole community'
                : named.map(({ id, name }, at) => (
                    <span key={id}>
                      {at > 0 && ', '}
                      <Link to={`/homes/${id}`}>{name}</Link>
                    </span>
                  )),
            ],
            ...(request.effectiveFrom === null && request.effectiveTo === null
              ? []
              : [
                  [
                    'Price validity',
                    formatList(
                      [
                        request.effectiveFrom === null ? '' : `from ${day(request.effectiveFrom)}`,
                        request.effectiveTo === null ? '' : `to ${day(request.effectiveTo)}`,
                      ].filter((part) => part !== ''),
                    ),
                  ] as const,
                ]),
            ['Message', request.message ?? 'none'],
            ['Included work', request.inclusions ?? 'not specified'],
            ['Excluded work', request.exclusions ?? 'not specified'],
            ...(request.cancelReason === null ? [] : [['Reason for cancellation', request.cancelReason] as const]),
            ['ID', <code key="id">{request.id}</code>],
          ]}
        />
      </Panel>
    </div>
  )
}
