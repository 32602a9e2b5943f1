import { useState } from 'react'
import type { Sale } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

/** Shows the stages of a sale: the completed stages, the next stage, and buttons to complete or waive a stage. */
export function SalePipeline({ sale }: { sale: Sale }) {
  const can = useCan()
  const [waived, setWaived] = useState<string | null>(null)
  const advance = plumbline.useMutation('post', '/api/ext/sales/{saleId}/pipeline', {
    onSuccess: ({ number }, { body }) => {
      showToast(
        `${number}: ${humanizeName(body.stage).toLowerCase()} ${body.status === 'waived' ? 'waived' : 'completed'}`,
      )
      setWaived(null)
    },
  })
  const move = (stage: string, status: 'done' | 'waived', reason?: string) =>
    advance.mutate({
      params: { path: { saleId: sale.id } },
      body: { stage, status, ...(reason !== undefined && { reason }) },
    })
  const isOpen = (sale.status === 'pending' || sale.status === 'approved') && can('sales:write')
  return (
    <Panel title="Pipeline" isFlush>
      {advance.error !== null && waived === null && <ChangeError error={advance.error} />}
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
                <strong>{humanizeName(stage)}</strong>
                <p className="small">
                  {status === 'waived' && `Waived: ${reason ?? ''} `}
                  {completedAt !== null ? (
                    <TimeText at={completedAt} />
                  ) : (
                    status === 'open' && (isNext ? 'next' : 'open')
                  )}
                </p>
              </div>
              {isOpen && isNext && (
                <span className="row">
                  <Button small look="quiet" onClick={() => setWaived(stage)}>
                    Waive
                  </Button>
                  <Button small look="primary" busy={advance.isPending} onClick={() => move(stage, 'done')}>
                    Mark as done
                  </Button>
                </span>
              )}
            </li>
          )
        })}
      </ol>
      {waived !== null && (
        <MoveDialog
          title={`Waive ${humanizeName(waived).toLowerCase()}?`}
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
