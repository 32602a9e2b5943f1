import { useState } from 'react'
import { Link } from 'react-router'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { CommunityForm } from '../homes/community-form.tsx'
import type { FirstStep } from './first-steps-state.ts'

/** Shows the steps from an empty organization to the first award, with the completed steps and the next one. */
export function FirstSteps({ steps, onDismiss }: { steps: readonly FirstStep[]; onDismiss(): void }) {
  const [isNewCommunity, setIsNewCommunity] = useState(false)
  const done = steps.filter((step) => step.isDone).length
  const next = steps.find((step) => !step.isDone)
  return (
    <Panel
      title="From your first home to your first order"
      hint={`${done} of ${steps.length} done`}
      actions={
        <Button small look="quiet" icon="x" onClick={onDismiss}>
          Dismiss
        </Button>
      }
      isFlush
    >
      <ol className="steps">
        {steps.map((step) => {
          const look = `btn small${step === next ? ' primary' : ''}`
          return (
            <li
              key={step.name}
              className={step.isDone ? 'done' : step === next ? 'next' : undefined}
              aria-current={step === next ? 'step' : undefined}
            >
              <div>
                <h3>
                  {step.title}
                  {step.isDone && <span className="sr">, done</span>}
                </h3>
                <p>{step.why}</p>
                {!step.isDone && (
                  <div className="row wrap">
                    {step.name === 'community' ? (
                      <Button small look={step === next ? 'primary' : 'plain'} onClick={() => setIsNewCommunity(true)}>
                        {step.verb}
                      </Button>
                    ) : (
                      <Link className={look} to={step.to}>
                        {step.verb}
                      </Link>
                    )}
                    {step.other !== undefined && (
                      <Link className="btn small" to={step.other.to}>
                        {step.other.verb}
                      </Link>
                    )}
                  </div>
                )}
              </div>
              {!step.isDone && <span className="small faint">{step.takes}</span>}
            </li>
          )
        })}
      </ol>
      {isNewCommunity && <CommunityForm community={null} onClose={() => setIsNewCommunity(false)} />}
    </Panel>
  )
}
