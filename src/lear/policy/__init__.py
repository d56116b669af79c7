"""The paper's objective: a policy that merges neighbours, trained with REINFORCE."""
