import { useState } from 'react'
import type { Sale } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { inWords } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { MoveDialog } from '../../ui/move.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Refused } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'

/** Shows the stages of a sale: completed stages, the next one, and buttons to continue or to waive a stage. */
export function Pipeline({ sale }: { sale: Sale }) {
  const may = useMay()
  const [waived, setWaived] = useState<string | null>(null)
  const advance = plumbline.useMutation('post', '/api/ext/sales/{saleId}/pipeline', {
    onSuccess: ({ number }, { body }) => {
      say(`${number}: ${inWords(body.stage).toLowerCase()} ${body.status === 'waived' ? 'waived' : 'completed'}`)
      setWaived(null)
    },
  })
  const move = (stage: string, status: 'done' | 'waived', reason?: string) =>
    advance.mutate({
      params: { path: { saleId: sale.id } },
      body: { stage, status, ...(reason !== undefined && { reason }) },
    })
  const isOpen = (sale.status === 'pending' || sale.status === 'approved') && may('sales:write')
  return (
    <Panel title="Pipeline" isFlush>
      {advance.error !== null && waived === null && <Refused error={advance.error} />}
      <ol className="steps">
        {sale.pipeline.map(({ stage, status, completedAt, reason }) => {
          const isNext = stage === sale.stage
          return (
            <li
              key={stage}
              className={status !== 'open' ? 'done' : isNext ? 'next' : undefined}
              aria-current={isNext ? 'step' : undefined}
            >
              <div>
                <strong>{inWords(stage)}</strong>
                <p className="small">
                  {status === 'waived' && `Waived: ${reason ?? ''} `}
                  {completedAt !== null ? <Time at={completedAt} /> : status === 'open' && (isNext ? 'next' : 'open')}
                </p>
              </div>
              {isOpen && isNext && (
                <span className="row">
                  <Button small look="quiet" onClick={() => setWaived(stage)}>
                    Waive
                  </Button>
                  <Button small look="primary" busy={advance.isPending} onClick={() => move(stage, 'done')}>
                    Done
                  </Button>
                </span>
              )}
            </li>
          )
        })}
      </ol>
      {waived !== null && (
        <MoveDialog
          title={`Waive ${inWords(waived).toLowerCase()}?`}
          effect="The sale continues without this stage."
          word="Waive"
          reason="needed"
          trial={null}
          error={advance.error}
          isPending={advance.isPending}
          onClose={() => setWaived(null)}
          onConfirm={(reason) => move(waived, 'waived', reason)}
        />
      )}
    </Panel>
  )
}
