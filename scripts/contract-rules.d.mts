export declare const ruleNames: string[]

/** Returns the findings in the order of the rules. A place is the list of keys that leads to the error. */
export declare function listFindings(
  document: unknown,
  names?: readonly string[],
): Generator<{ rule: string; place: (string | number)[]; message: string }>
