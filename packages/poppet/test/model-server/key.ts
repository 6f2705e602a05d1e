/** The key that tests give: of no provider's shape, so that only knowing it can hide it. */
export const apiKey = "zq-9Hs71kPl0Vb3";
